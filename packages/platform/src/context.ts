import type { EntityManager, EntitySchema, InferEntity, MikroORM } from '@mikro-orm/postgresql'
import type { Actor, Change, Providers } from '@payments/kernel'
import type { RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { DatabaseAvailability } from './database/availability.ts'
import type { Domain } from './domain.ts'
import type { Job, JobOptions } from './jobs.ts'
import type { Log } from './log.ts'
import type { Keyring } from './secrets.ts'
import type { Settings } from './settings.ts'

/** What a process has one of. Composed by `@payments/api`, passed down, never imported. */
export interface Runtime {
  readonly settings: Settings
  readonly orm: MikroORM
  /** For connections outside the pools; holds the password. */
  readonly databaseUrl: string
  /** The same connections that the ORM uses, for statements that are not about entities. */
  readonly pool: Pool
  readonly database: DatabaseAvailability
  readonly boss: PgBoss
  readonly log: Log
  readonly keyring: Keyring
  readonly providers: Providers
  /** Every domain of the service, the platform's own tables included. */
  readonly domains: readonly Domain[]
  /** Runs a task in every process soon, without waiting for its interval; called after a commit, coalesced. */
  trigger(task: string): void
}

/** What a reading operation works with: the caller, and an entity manager that sees the caller's tenant only. */
export interface QueryContext {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly em: EntityManager
  readonly log: Log
}

/** A statement that the commit carries. Of several with one `key` only the last runs: one statement cannot write a row twice. */
export interface CommitStatement {
  readonly statement: RawBuilder<unknown>
  readonly key?: string
}

/** One transaction, and what shall happen in it besides the rows that the handler writes itself. */
export interface UnitOfWork extends QueryContext {
  /** Inserts a row with the commit. Violated constraints appear there, as the errors that the operation declares. */
  insert<E extends EntitySchema>(entity: E, row: InferEntity<E>): void
  /** Adds the event, the list entry and the notifications of a change to the commit. */
  record(change: Change): void
  /** Adds a data-modifying statement to the commit, so that effects share its round trip. */
  appendToCommit(statement: RawBuilder<unknown>, key?: string): void
  /** Sends a job that exists only if this transaction commits. */
  enqueue<T extends object>(job: Job<T>, data: T, options?: JobOptions): Promise<void>
  /** Runs after the commit, best effort: for hints, never for what must happen. */
  afterCommit(hint: () => void): void
}
