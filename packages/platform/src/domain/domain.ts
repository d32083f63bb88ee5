import type { EntitySchema } from '@mikro-orm/postgresql'
import type {
  Binding,
  Change,
  Environment,
  ErrorFactory,
  Extension,
  FailureReasons,
  ObjectBalance,
  Port,
} from '@payments/kernel'
import type { TRPCRouterRecord } from '@trpc/server'
import type { Pool } from 'pg'
import type { z } from 'zod'
import type { Authentication } from '../operations/authentication.ts'
import type { CommitStatement, Runtime, UnitOfWork } from '../operations/context.ts'
import type { Callback, Page } from '../operations/http.ts'
import type { ReportedAmounts } from '../providers/reports.ts'
import type { TimelineDeclaration } from '../records/timeline.ts'
import type { EncryptedColumn, LastingSecret } from '../settings/secrets.ts'
import type { ProviderOrder, Settings, SettingsDeclaration } from '../settings/settings.ts'
import type { Resource } from '../transactions/resource.ts'
import type { Job } from '../work/jobs.ts'
import type { Task } from '../work/tasks.ts'
import type { OperatorsDeclaration } from './operators.ts'

/** One migration of the schema, owned by one package. Names start with a timestamp, and migrations run in that order. */
export interface MigrationStep {
  readonly name: string
  readonly up: readonly string[]
  /**
   * The statements run one by one, outside a transaction, as `create index concurrently` needs. Each must be repeatable: a step that
   * was interrupted is run again from its first statement. {@link indexConcurrently} makes such statements.
   */
  readonly concurrently?: true
}

/** Statements of a `concurrently` step that create an index of an existing table while it is written to. */
export const indexConcurrently = (name: string, definition: string, unique: 'unique' | '' = ''): string[] => [
  // What an interrupted attempt has left is invalid, and has the name.
  `drop index concurrently if exists ${name}`,
  `create ${unique} index concurrently ${name} on ${definition}`,
]

/**
 * Statements of a `concurrently` step that add a foreign key to existing tables while they are written to: new rows are checked at once,
 * and those that exist afterwards, under locks for which no write waits.
 */
export const foreignKeyConcurrently = (table: string, name: string, definition: string): string[] => [
  `alter table ${table} drop constraint if exists ${name}`,
  `alter table ${table} add constraint ${name} foreign key ${definition} not valid`,
  `alter table ${table} validate constraint ${name}`,
]

/** An event type of the catalogue: its description and the schema of its `data`. */
export interface EventType {
  readonly description: string
  readonly data: z.ZodType
  /** An example of `data`, for engineers who write a receiver; it must fit the schema. */
  readonly sample?: Readonly<Record<string, unknown>>
  /** Sent only to endpoints that list this type in `events`. */
  readonly optIn?: boolean
}

/** A gauge that is read from the database at each scrape. Every process reports the same value. */
export interface Metric {
  /** By the conventions of Prometheus: the unit is the suffix. */
  readonly name: string
  readonly help: string
  /** By environment, one value where there are none, or values with labels of {@link metricLabels}. Must be cheap. */
  read(runtime: Runtime): Promise<number | Readonly<Record<Environment, number>> | readonly LabelledValue[]>
}

export const metricLabels = ['environment', 'organisation', 'kind'] as const

/** One value of a gauge with several. They must be few: each is a time series. */
export interface LabelledValue {
  readonly labels: Partial<Readonly<Record<(typeof metricLabels)[number], string>>>
  readonly value: number
}

/** A check of a domain's own records, which a job of the domain runs and whose result it stores. */
export interface SelfCheck {
  readonly name: string
  /** The latest result, as the internal server shows it; null when there is none yet. */
  latest(runtime: Pick<Runtime, 'pool'>): Promise<Readonly<Record<string, unknown>> | null>
}

/** A type of notification: users choose per type what they see and what they get as an email. */
export interface NotificationType {
  readonly description: string
  /** True if members get an email unless they turned it off. */
  readonly email: boolean
}

/** The notification that a change creates. */
export interface ChangeNotification {
  /** `<subject>.<event>`, for example `money.received`; a domain declares it in `notificationTypes`. */
  readonly type: string
  readonly title: string
  /** Type of the resource that the notification refers to. */
  readonly resource: string
  /** Written from the resource as its GET shows it (`data`) or, if it appears there, its entry of the unified list. */
  body(change: Change): string
}

/** A notification, or a function that chooses one for the change; undefined: none. */
export type DeclaredNotification = ChangeNotification | ((change: Change) => ChangeNotification | undefined)

/** A port with the providers that the domain contains: the sandbox, and live providers that need no external account. */
export interface ProviderDeclaration {
  readonly port: Port<unknown> | Extension<unknown>
  /** Name of the sandbox provider for operators, if it simulates outages: see `withFaults`. */
  readonly sandbox?: string
  /** The setting that orders the live providers of the port, and its value: see `providersSetting`. */
  readonly order?: { readonly setting: string; of(settings: Settings): ProviderOrder | undefined }
  create(dependencies: { readonly pool: Pool }): readonly Binding[]
}

/** The receipt of one kind of transaction. */
export interface ReceiptDeclaration {
  readonly schema: z.ZodType
  /**
   * The balances that the journal must hold for an object with this receipt. Computed from the receipt alone, and not by
   * the code that writes the postings, because the ledger's check compares the two.
   */
  balances(receipt: never): readonly ObjectBalance[]
  /** What the last report of the provider must say for an object with this receipt; amounts that it leaves out are not compared. */
  evidence?(receipt: never): ReportedAmounts
}

/** A statement that a recorder adds to the transaction of a change. `trigger` names a task to run after the commit. */
export interface Recorded extends CommitStatement {
  readonly trigger?: string
}

/** A section of the API reference: operations name it as their `tag`. */
export interface Tag {
  readonly name: string
  readonly description: string
  readonly position: number
}

/** A customer of the actor's tenant who is being anonymised. */
export interface AnonymisedCustomer {
  readonly id: string
  /** What erased names become. */
  readonly name: string
  /** What the customer was called until now. */
  readonly formerName: string
  /** The customer as its GET shows it from now on. */
  readonly shown: Readonly<Record<string, unknown>>
}

/** Everything that a package adds to the service. `@payments/api` and the gateway read the list of all domains. */
export interface Domain<R extends TRPCRouterRecord = TRPCRouterRecord> {
  readonly name: string
  readonly router?: R
  // biome-ignore lint/suspicious/noExplicitAny: an entity's own type does not matter to a list of all of them
  readonly entities?: readonly EntitySchema<any, any, any>[]
  readonly migrations?: readonly MigrationStep[]
  // biome-ignore lint/suspicious/noExplicitAny: row types differ, and the list is only iterated
  readonly resources?: readonly Resource<any, any, any>[]
  readonly errors?: Readonly<Record<string, ErrorFactory>>
  readonly events?: Readonly<Record<string, EventType>>
  // biome-ignore lint/suspicious/noExplicitAny: each declaration types its own settings
  readonly settings?: SettingsDeclaration<any, any>
  readonly providers?: readonly ProviderDeclaration[]
  readonly callbacks?: readonly Callback[]
  /** Event type → status → notification. */
  readonly notifications?: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>>
  /** The types of notifications that this domain is the first to send, by name. */
  readonly notificationTypes?: Readonly<Record<string, NotificationType>>
  /** The documented list of failure reasons of each kind of object, by its name in the reference. */
  readonly failureReasons?: Readonly<Record<string, FailureReasons>>
  /** By kind of transaction (specification, Transaction). */
  readonly receipts?: Readonly<Record<string, ReceiptDeclaration>>
  readonly pages?: readonly Page[]
  /** Sections of the API reference, in the order of `position`: the order in which an integration needs them. */
  readonly tags?: readonly Tag[]
  // biome-ignore lint/suspicious/noExplicitAny: each job checks its own data
  readonly jobs?: readonly Job<any>[]
  readonly tasks?: readonly Task[]
  readonly metrics?: readonly Metric[]
  readonly selfChecks?: readonly SelfCheck[]
  readonly sandbox?: {
    /** Moves all future due times of the actor's organisation forward by `seconds`. Test environment only. */
    advance?(unit: UnitOfWork, seconds: number): Promise<void>
  }
  /**
   * Erases what the domain's own tables hold of a person, in the transaction that anonymises the customer, who is locked. Amounts and
   * statuses stay. Objects on their way must not bring it back.
   */
  anonymise?(unit: UnitOfWork, customer: AnonymisedCustomer): Promise<void>
  /** What belongs to the timeline of an object. */
  readonly timeline?: TimelineDeclaration
  /** What operators find, and what needs them. */
  readonly operators?: OperatorsDeclaration
  /** Turns credentials into actors. Exactly one domain declares it. */
  readonly authentication?: Authentication
  /** Turns a change into statements of the same transaction. Pure: it reads nothing and calls nothing. */
  readonly recorder?: (change: Change, runtime: Pick<Runtime, 'domains'>) => readonly Recorded[]
  /** Columns with text that the keyring encrypted, so that a change of SECRETS_KEY can re-encrypt it. */
  readonly encrypted?: readonly EncryptedColumn[]
  /** Secrets of the settings that must stay the same: their fingerprints are compared at the start. */
  lastingSecrets?(settings: Settings): readonly LastingSecret[]
  /** What of its tables `record_counts` counts, as the migrations say it: proofs compare the two. */
  readonly counted?: Readonly<Record<string, Counted>>
  /** Tables in which the service's role may insert rows, but not update or delete them. */
  readonly appendOnly?: readonly string[]
}

/** What of a table is counted. All are SQL over the columns of the table. */
export interface Counted {
  /** One number for each value of each of these: `''`, the default, is the same for all rows. Null is not counted. */
  readonly scopes?: readonly string[]
  /** Which rows. It must never change for a row. */
  readonly where?: string
  /** They are counted for the installation instead of their tenants. */
  readonly installation?: true
}

export const domain = <const R extends TRPCRouterRecord>(definition: Domain<R>): Domain<R> => definition

/** What the domains of a process declare. */
export const domainsOf = ({ domains }: Pick<Runtime, 'domains'>): readonly Domain[] => domains

/** An adapter to an external system. The gateway lists it; it is bound if its settings are set. */
export interface LiveAdapter {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: each declaration types its own settings
  readonly settings: SettingsDeclaration<any, any>
  /** The live bindings; empty when the adapter is not configured. */
  bindings(settings: Settings): readonly Binding[]
}

/** Event types of every domain. */
export const catalogueOf = (domains: readonly Domain[]): Readonly<Record<string, EventType>> =>
  Object.assign({}, ...domains.map((each) => each.events ?? {}))

/** Notification types of every domain. */
export const notificationTypesOf = (domains: readonly Domain[]): Readonly<Record<string, NotificationType>> =>
  Object.assign({}, ...domains.map((each) => each.notificationTypes ?? {}))
