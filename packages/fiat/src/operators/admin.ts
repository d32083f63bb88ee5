import { type Environment, isId } from '@payments/kernel'
import { aboutObject, actingFor, dryRun, type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import { type OrderRow, orderResource } from '../orders/orders.ts'
import { polls } from '../orders/schedule.ts'
import { applyPoll, fetchReport } from '../polling/polls.ts'
import { budget } from '../provider/limits.ts'
import { type Direction, fiatProvider, type OrderReport } from '../provider/provider.ts'
import type { AdminOrderList } from '../schemas.ts'

const SHOWN = 200

interface AdminRow {
  id: string
  direction: Direction
  organisation_id: string
  environment: Environment
  status: string
  failure_reason: string | null
  provider_order_id: string
  attention: string | null
  error: string | null
  failing_since: Date | string | null
  next_poll_at: Date | string | null
  created_at: Date | string
  updated_at: Date | string
  total: number
}

const COLUMNS =
  'id, organisation_id, environment, status, failure_reason, provider_order_id, attention, created_at, updated_at'

/** Orders of all organisations that are in flight or need an operator: those that need one first, then the oldest change first. */
export async function unfinishedOrders(context: QueryContext): Promise<z.input<typeof AdminOrderList>> {
  const { rows } = await sqlOf(context.em).query<AdminRow>(
    `select o.*, q.error, q.failing_since, greatest(q.next_poll_at, q.created_at) as next_poll_at, count(*) over ()::int as total
       from (select 'offramp' as direction, ${COLUMNS} from offramps
              where attention is not null or status in ('pending', 'processing', 'settled')
             union all
             select 'onramp', ${COLUMNS} from onramps
              where attention is not null or status in ('awaiting_payment', 'processing')) o
       left join fiat_polls q on q.id = o.id
      order by o.attention is null, q.failing_since is null, o.updated_at limit ${SHOWN}`,
  )
  const time = (value: Date | string | null) => (value === null ? null : new Date(value).toISOString())
  return {
    total: rows[0]?.total ?? 0,
    orders: rows.map((row) => ({
      id: row.id,
      direction: row.direction,
      organisationId: row.organisation_id,
      environment: row.environment,
      status: row.status,
      failureReason: row.failure_reason,
      providerOrderId: row.provider_order_id,
      attention: row.attention,
      pollError: row.error,
      pollFailingSince: time(row.failing_since),
      nextPollAt: time(row.next_poll_at),
      createdAt: time(row.created_at) ?? '',
      updatedAt: time(row.updated_at) ?? '',
    })),
  }
}

/** An order of any organisation, for operators. @throws fiat_order_not_found 404 */
async function findAnywhere(context: QueryContext, id: string): Promise<{ direction: Direction; order: OrderRow }> {
  for (const direction of isId(id) ? (['offramp', 'onramp'] as const) : []) {
    const { entity, filters = {} } = orderResource[direction]
    const order = await context.em.findOne(
      entity,
      { id },
      { filters: { ...(filters as object), tenant: false }, disableIdentityMap: true },
    )
    if (order) return { direction, order: order as OrderRow }
  }
  throw errors.fiat_order_not_found()
}

export interface PendingPoll {
  readonly direction: Direction
  readonly order: OrderRow
  /** Null: it cannot be applied, and operators see why; the order stays as it is. */
  readonly report: OrderReport | null
}

/**
 * Asks the provider for an order now: ahead of scheduled polls, but within the rate budget. What it says is tried first: a report that cannot be
 * applied is listed as a failed poll, as that of a scheduled one is.
 * @throws fiat_order_not_found 404; fiat_provider_unavailable 503 when operators alone have used it up
 */
export async function pollNow(context: QueryContext, id: string): Promise<PendingPoll> {
  const { direction, order } = await findAnywhere(context, id)
  const { pool, providers } = context.runtime
  const { callsPerMinute } = providers.of(fiatProvider, order)
  if (!(await budget.tryConsume(pool, { ...order, callsPerMinute })))
    throw errors.fiat_provider_unavailable({ retryAfter: 1 })
  const report = await aboutObject(order, () => fetchReport(context, direction, order))
  try {
    await dryRun(context, (unit) => applyPoll(actingFor(unit, order), direction, order.id, report))
    return { direction, order, report }
  } catch (error) {
    if (context.runtime.database.report(error)) throw error
    context.log.error({ err: error, order: id }, 'report could not be applied')
    await polls.noteFailure(pool, id, error, null)
    return { direction, order, report: null }
  }
}

/** The order that an operator has dealt with. @throws fiat_order_not_found 404 */
export const findForOperator = findAnywhere
