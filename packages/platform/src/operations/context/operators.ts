import type { EntitySchema } from '@mikro-orm/postgresql'
import type { Environment } from '@payments/kernel'
import type { SqlExecutor } from '../../database/sql.ts'
import type { QueryContext, Runtime, UnitOfWork } from './context.ts'

/**
 * Why an object needs an operator. `failed`: it ended, and money is not where it belongs. `held`: a provider holds its money.
 * `unknown`: nobody knows yet what a provider did. `stuck`: it has not moved for too long, or cannot be processed.
 */
export const conditions = ['failed', 'held', 'unknown', 'stuck'] as const
export type Condition = (typeof conditions)[number]

/** Objects of one kind that may need an operator. */
export interface AttentionSource {
  readonly kind: string
  /**
   * SQL that selects those that do: `id`, `organisation_id`, `environment`, `status`, `condition` (of {@link conditions}), `reason`
   * (text) and `since` (when that began). Its cost must depend on how many there are, not on how full the table is.
   */
  readonly sql: string
  /** SQL of one row with `amount`, `currency` and `usd`: the money of a row of `o` that waits, where it is not what the list of transactions says. */
  readonly held?: string
  /** Makes the provider be asked for these soon, within its rate budget. Safe to repeat. Absent where there is nobody to ask. */
  recheck?(unit: UnitOfWork, ids: readonly string[]): Promise<void>
  /** Ends what one of these needs an operator for, as an operator has decided. Absent: it is not listed until it needs one anew. */
  close?(db: SqlExecutor, id: string): Promise<void>
}

/** Objects of one kind that operators, and merchants among their own, find by something else than their id. */
export interface SearchSource {
  readonly kind: string
  /** A table, or a subquery with an alias, that has `id`, `organisation_id` and `environment`. */
  readonly from: string
  /** What the text is compared with: a name for it, and the column (or expression), which must have an index of its own. */
  readonly by: Readonly<Record<string, string>>
  /** The column with the id of the object that each is a part of, with an index: it is found with that object. */
  readonly partOf?: string
}

/** Objects of one kind as operators see them, of any organisation. */
export interface OperatedObject {
  readonly kind: string
  /** The table of its timeline: one that a resource or `timeline.objects` names. */
  readonly table: string
  // biome-ignore lint/suspicious/noExplicitAny: row types differ, and the list is only iterated
  readonly entity: EntitySchema<any, any, any>
  /** The parameter of the operators' commands that take its id; absent where none does. */
  readonly parameter?: string
  /** A row as its GET shows it to the merchant: no secret is in it. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  present(row: any): Readonly<Record<string, unknown>>
}

export const holdingGroups = ['endpoint', 'open', 'balance', 'volume', 'access'] as const

/**
 * What an organisation has of one sort in one environment (null: in both). `endpoint`: a webhook endpoint. `open`: transactions that have
 * not ended. `balance`: money that the service holds for it. `volume`: what succeeded in the last 30 days. `access`: keys and sessions.
 */
export interface Holding {
  readonly group: (typeof holdingGroups)[number]
  readonly environment: Environment | null
  readonly kind: string
  readonly status: string
  readonly count: number
  /** The sum of their amounts with the asset, such as `25 USDC`; null where they have none. */
  readonly amount: string | null
  /** The object, where the holding is one alone, how merchants call it, and since when it has its status. */
  readonly object: { readonly id: string; readonly name: string; readonly since: string | null } | null
}

/** How many calls of a provider the rate budget allows now. */
export interface RateBudget {
  readonly provider: string
  readonly environment: Environment
  readonly callsLeft: number
}

/** A command of operators that ends an object, by its name in the router, and the values of its `outcome` that do so. */
export interface Ending {
  readonly command: string
  readonly outcomes: readonly string[]
}

/**
 * How operators end the objects of one state table. Every state has an entry, final states too: a provider may contradict what it
 * reported. A text says why a state needs no command: no money can be anywhere but where its row says.
 */
export interface Endings {
  readonly machine: { readonly name: string; readonly states: Readonly<Record<string, unknown>> }
  readonly states: Readonly<Record<string, Ending | string>>
}

/** {@link Endings} of a state table; a state without an entry does not compile. */
export const endings = <S extends string>(
  machine: { readonly name: string; readonly states: Readonly<Record<S, unknown>> },
  states: Readonly<Record<S, Ending | string>>,
): Endings => ({ machine, states })

/** A gauge that is read from the database at each scrape. Every process reports the same value. */
export interface Metric {
  /** By the conventions of Prometheus: the unit is the suffix. */
  readonly name: string
  readonly help: string
  /** `counter`: `read` gives what this process has counted since its start. */
  readonly type?: 'gauge' | 'counter'
  /** By environment, one value where there are none, or values with labels of {@link metricLabels}. Must be cheap. */
  read(runtime: Runtime): Promise<number | Readonly<Record<Environment, number>> | readonly LabelledValue[]>
}

export const metricLabels = ['environment', 'organisation', 'kind', 'outcome'] as const

/** One value of a metric with several. They must be few: each is a time series. */
export interface LabelledValue {
  readonly labels: Partial<Readonly<Record<(typeof metricLabels)[number], string>>>
  readonly value: number
}

/** What a domain adds to the work of operators. */
export interface OperatorsDeclaration {
  /** Objects that may need an operator. */
  readonly attention?: readonly AttentionSource[]
  /** Objects that operators find by something else than their id. */
  readonly search?: readonly SearchSource[]
  /** Objects that operators open by their id. */
  readonly objects?: readonly OperatedObject[]
  /** What an organisation has: operators see it on its page, and before they suspend it. */
  holdings?(context: QueryContext, organisationId: string): Promise<readonly Holding[]>
  /** One for each state table of the domain's resources. */
  readonly endings?: readonly Endings[]
  /** How many calls of its providers the rate budgets allow now. */
  rateBudgets?(db: SqlExecutor): Promise<readonly RateBudget[]>
  /** Gauges on the internal server. */
  readonly metrics?: readonly Metric[]
}
