import type { Tenant } from '@payments/kernel'
import type { SqlExecutor } from '../../database/sql.ts'
import type { Runtime } from './context.ts'

export const timelineKinds = [
  'request',
  'status',
  'event',
  'posting',
  'delivery_attempt',
  'provider_choice',
  'provider_call',
  'provider_report',
  'operator_action',
] as const

/** One thing that happened to an object. */
export interface TimelineEntry {
  readonly kind: (typeof timelineKinds)[number]
  readonly at: Date
  /** Id of the row behind it: of the request, the event, the journal entry, the delivery. */
  readonly id: string
  /** The object that it happened to: the one of the timeline, or one of its parts. */
  readonly resourceId: string
  readonly summary: string
  readonly details: Readonly<Record<string, string | number | boolean | null>>
}

/** An object and its parts, and who asks. */
interface TimelineQuery extends Tenant {
  readonly ids: readonly string[]
  readonly limit: number
  /** False for merchants, who learn nothing of providers, of the accounts of the journal, and of who an operator is. */
  readonly forOperators: boolean
}

/** Reads the newest entries of an object, at most `limit`, and counts all of them. Its cost must not depend on how full the tables are. */
export type TimelineSource = (
  db: SqlExecutor,
  query: TimelineQuery,
  runtime: Runtime,
) => Promise<{ readonly entries: readonly TimelineEntry[]; readonly total: number }>

/** What a domain adds to timelines. */
export interface TimelineDeclaration {
  /** Tables of the domain's objects beside those of its resources; each has `id`, `organisation_id` and `environment`. */
  readonly objects?: readonly string[]
  /** The newest parts of an object of this domain, at most `limit`. */
  parts?(db: SqlExecutor, id: string, limit: number): Promise<readonly string[]>
  readonly sources?: readonly TimelineSource[]
}
