import type { Binding, Extension, Port } from '@payments/kernel'
import type { TRPCRouterRecord } from '@trpc/server'
import type { SqlExecutor } from '../database/sql.ts'
import type { Runtime } from '../operations/context/context.ts'
import type { OperatorsDeclaration } from '../operations/context/operators.ts'
import type { ProviderOrder, Settings, SettingsDeclaration } from '../settings/settings.ts'
import type { ApiDeclaration, EventType } from './api.ts'
import type { DataDeclaration } from './data.ts'
import type { Diagnosis } from './diagnosis.ts'
import type { MoneyDeclaration } from './money.ts'
import type { NotificationType, WorkDeclaration } from './work.ts'

/** A port with the providers that the domain contains: the sandbox, and live providers that need no external account. */
interface ProviderDeclaration {
  readonly port: Port<unknown> | Extension<unknown>
  /** Name of the sandbox provider for operators, if it simulates outages: see `withFaults`. */
  readonly sandbox?: string
  /** The setting that orders the live providers of the port, and its value: see `providersSetting`. */
  readonly order?: { readonly setting: string; of(settings: Settings): ProviderOrder | undefined }
  /** @param dependencies statements of their own, prepared where they repeat, and reads that requests share a connection for */
  create(dependencies: { readonly db: SqlExecutor; readonly lookups: SqlExecutor }): readonly Binding[]
}

/** Everything that a package adds to the service. `@payments/api` and the gateway read the list of all domains. */
export interface Domain<R extends TRPCRouterRecord = TRPCRouterRecord> {
  readonly name: string
  /** The settings that it reads, for every process. */
  // biome-ignore lint/suspicious/noExplicitAny: each declaration types its own settings
  readonly settings?: SettingsDeclaration<any, any>
  /** The external systems that it uses, and what it does for an extension of another domain. */
  readonly providers?: readonly ProviderDeclaration[]
  /** What callers see: operations, errors, events, and what it serves beside the operations. */
  readonly api?: ApiDeclaration<R>
  /** What it keeps in the database, and what holds for it. */
  readonly data?: DataDeclaration
  /** What it says of the money that it moves. */
  readonly money?: MoneyDeclaration
  /** What it does beside answering requests: in the background, and when an object of any domain changes. */
  readonly work?: WorkDeclaration
  /** What operators find, what needs them, and what they watch. */
  readonly operators?: OperatorsDeclaration
}

export const domain = <const R extends TRPCRouterRecord>(definition: Domain<R>): Domain<R> => definition

/** What the domains of a process declare. */
export const domainsOf = ({ domains }: Pick<Runtime, 'domains'>): readonly Domain[] => domains

/** An adapter to an external system. The gateway lists it; it is bound if its settings are set. */
export interface LiveAdapter {
  readonly name: string
  /** The provider sends callbacks, to `/v1/callbacks/<name>`. */
  readonly callbacks: boolean
  // biome-ignore lint/suspicious/noExplicitAny: each declaration types its own settings
  readonly settings: SettingsDeclaration<any, any>
  /** The live bindings; empty when the adapter is not configured. Its code is loaded only when it is. */
  bindings(settings: Settings): Promise<readonly Binding[]>
  /**
   * What `payments doctor` asks the provider with the configured credentials: calls that cost nothing and change nothing. Empty when the
   * adapter is not configured. `pool`: of the service's database, for limits that all processes share; undefined where it is not reached.
   */
  diagnose(settings: Settings, pool: SqlExecutor | undefined): Promise<readonly Diagnosis[]>
}

/** Event types of every domain. */
export const catalogueOf = (domains: readonly Domain[]): Readonly<Record<string, EventType>> =>
  Object.assign({}, ...domains.map((each) => each.api?.events ?? {}))

/** Notification types of every domain. */
export const notificationTypesOf = (domains: readonly Domain[]): Readonly<Record<string, NotificationType>> =>
  Object.assign({}, ...domains.map((each) => each.work?.notificationTypes ?? {}))
