import type { EntityManager, EntitySchema, InferEntity, MikroORM } from '@mikro-orm/postgresql'
import type { Access, Actor, Change, Environment } from '@payments/kernel'
import type { Pool } from 'pg'
import type { PgBoss, SendOptions } from 'pg-boss'
import type { z } from 'zod'
import type { DatabaseAvailability } from '../../database/availability.ts'
import type { SqlExecutor, Statement } from '../../database/sql.ts'
import type { WalPosition } from '../../database/standby/position.ts'
import type { Standby } from '../../database/standby/standby.ts'
import type { RowKey, Written } from '../../database/written.ts'
import type { Log } from '../../settings/log.ts'
import type { Keyring } from '../../settings/secrets.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Providers } from './lookup.ts'

/** What a procedure of the router declares. */
export interface ProcedureRule {
  readonly access: Access
  readonly money: boolean
  readonly personal: boolean
}

/**
 * A domain as the runtime holds it: what it declares is made of functions that are called with the runtime, and `domainsOf` gives it
 * to those who fold over it.
 */
interface NamedDomain {
  readonly name: string
}

/** The objects that a process has once. `@payments/api` creates them and passes them down; no package imports them. */
export interface Runtime {
  readonly settings: Settings
  readonly orm: MikroORM
  /** For connections outside the pools; contains the password. */
  readonly databaseUrl: string
  /** The connections that the ORM uses, for plain SQL. */
  readonly pool: Pool
  /** A few connections for what every request needs before its operation: limits, credentials, stored replies. No operation uses them. */
  readonly priorityPool: Pool
  /**
   * Finds rows by their keys, outside of transactions: each statement is parsed and planned once, which takes the server ten
   * times as long as to find them, and those of one turn of the event loop are sent together. Only for texts that are always the same, name their columns, and can be planned in one way alone: the
   * plan may be of a time when the table was empty. A test reads the plans of all of them.
   */
  readonly lookups: SqlExecutor
  readonly database: DatabaseAvailability
  /** Set where DATABASE_READ_URL is: serves reads of many rows in place of the primary. */
  readonly standby?: Standby
  readonly boss: PgBoss
  readonly log: Log
  readonly keyring: Keyring
  readonly providers: Providers
  /** Every domain of the service, including the platform. */
  readonly domains: readonly NamedDomain[]
  /** Every procedure of the composed router, by its name: `customers.create`. */
  readonly procedures: Readonly<Record<string, ProcedureRule>>
  /** Runs a task in every process within about 20 ms instead of at its next interval. Called after a commit; coalesced. */
  trigger(task: string): void
}

/** The context of a reading operation: the caller, and an entity manager restricted to the caller's tenant. */
export interface QueryContext {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly em: EntityManager
  readonly log: Log
  /** Set where a standby may serve what the operation reads; the statements of `em` go there already. */
  readonly standby?: StandbyReads
}

/** The reads of one operation that a standby may serve. */
export interface StandbyReads extends Pick<Standby, 'url' | 'query' | 'attempt' | 'requireReplayed'> {
  /** The position of the primary when the operation was asked for: what is read includes everything up to it. */
  position(): Promise<WalPosition>
}

/** A statement that is sent with the commit. Of several with the same `key` only the last runs: they form one SQL statement, which cannot write a row twice. */
export interface CommitStatement {
  readonly statement: Written
  readonly key?: string
}

/**
 * A call of a function of the database that changes rows, for everything that a unit has gathered when it is sent: so the function locks in
 * one order what several parts of the unit change. It sees what direct statements have written, and nothing that is sent with it.
 */
export interface GatheredCall<T> {
  /** Items with the same key share one call. */
  readonly key: string
  /** An expression with one value, never null. */
  expression(items: readonly T[]): Statement
  /** What a failure of the statement means: the error of a violated constraint, or the error itself. */
  errorOf(error: unknown, items: readonly T[]): unknown
}

export const effectKinds = ['change', 'posting', 'approval', 'touched'] as const

/** Something that a unit of work would do if it were committed. */
export interface Effect {
  readonly kind: (typeof effectKinds)[number]
  /** The object that changes, or the one that the entry belongs to. */
  readonly resourceId: string | null
  readonly summary: string
}

/** A queue, and the schema of what is sent to it: what a sender knows of a job. */
export interface JobQueue<T extends object = object> {
  readonly name: string
  readonly data: z.ZodType<T>
}

type JobOptions = Pick<SendOptions, 'startAfter' | 'singletonKey' | 'priority' | 'group'>

/** One transaction: the rows that the handler writes itself, and the effects that it adds to the commit. */
export interface UnitOfWork extends QueryContext {
  /** Set while a command of operators runs: who runs it, also where the unit acts for another organisation. */
  readonly operator?: string
  /** Set when an operator approves what another one requested: who that was. */
  readonly requestedBy?: string
  /** Set in a dry run, which is rolled back, and in an approval, which compares: what the unit does is added here. */
  readonly effects?: Effect[]
  /** Set in a dry run: hears what the audit log would say. An approval tells of the command that it runs, then of itself. */
  audited?(would: {
    readonly organisationId: string | null
    readonly environment: Environment | null
    readonly before: object | null
    readonly after: object
  }): void
  /** Inserts a row with the commit. A violated constraint is reported there, as the error that the operation declares. */
  insert<E extends EntitySchema>(entity: E, row: InferEntity<E>): void
  /** Changes columns of a row that the unit has locked, with the commit or before the next direct statement, which sees it. */
  update<E extends EntitySchema>(entity: E, key: RowKey, changes: Partial<InferEntity<E>>): Promise<void>
  /** Adds the event, the ledger entry and the notifications of a change to the commit. */
  record(change: Change): void
  /** Adds a row or a data-modifying statement to the commit. All of them share the commit's round trip. */
  appendToCommit(statement: Written, key?: string): void
  /** Adds an item to a call that is sent with the commit, or before the next direct statement, which sees what it changed. */
  gather<T>(call: GatheredCall<T>, item: T): void
  /** Sends a job that exists only if this transaction commits. */
  enqueue<T extends object>(job: JobQueue<T>, data: T, options?: JobOptions): Promise<void>
  /** Runs after the commit, best effort: for triggers and logs, never for required work. */
  afterCommit(callback: () => void): void
}
