import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { Actor, Environment } from './actor.ts'
import type { Change, Recorder } from './change.ts'
import type { EventType } from './domain.ts'
import type { Job, JobOptions } from './jobs.ts'
import type { Log } from './log.ts'
import type { Providers } from './provider.ts'
import type { Keyring } from './secrets.ts'
import type { Settings } from './settings.ts'

/** What a process has one of. Composed in a service's `main.ts`, passed down, never imported. */
export interface Runtime {
  readonly settings: Settings
  readonly orm: MikroORM
  /** The same connections that the ORM uses, for the few statements that are not about entities. */
  readonly pool: Pool
  readonly boss: PgBoss
  readonly log: Log
  readonly keyring: Keyring
  readonly providers: Providers
  readonly recorders: readonly Recorder[]
  /** Every event type of every domain. */
  readonly catalogue: Readonly<Record<string, EventType>>
  /** Tells the loops of every process that there is work; called after a commit, coalesced. */
  wake(channel: string): void
}

/** What a read needs: who asks, and an entity manager that sees that organisation and environment alone. */
export interface Read {
  readonly runtime: Runtime
  readonly actor: Actor
  readonly em: EntityManager
  readonly log: Log
}

/** A unit of work: one transaction, and what shall happen in it beyond the rows the verb writes itself. */
export interface Work extends Read {
  /** Tells the recorders (events, ledger, notifications) of a change, in this transaction. */
  record(change: Change): Promise<void>
  /**
   * Adds a data-modifying statement to the one that ends the transaction: effects share a round trip. Of several with one
   * `key` only the last runs, since one statement cannot write a row twice.
   */
  defer(statement: RawBuilder<unknown>, key?: string): void
  /** Sends a job that exists only if this transaction commits. */
  enqueue<T extends object>(job: Job<T>, data: T, options?: JobOptions): Promise<void>
  /** Runs after the commit, best effort: for hints, never for what must happen. */
  afterCommit(hint: () => void): void
}

/** Organisation and environment, as every business row has them. */
export interface Tenant {
  readonly organisationId: string
  readonly environment: Environment
}
