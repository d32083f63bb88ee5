import { type Environment, isId, ServiceError, system } from '@payments/kernel'
import { locked, type QueryContext, queryContext, type Runtime, type UnitOfWork, unitOfWork } from '@payments/platform'
import { PollEntity } from './entity.ts'
import { type OrderRow, orderMissing, orderResource, update } from './orders.ts'
import { type Direction, fiatProvider, type OrderReport } from './provider.ts'
import { budget, type ClaimedOrder } from './rate-budget.ts'
import { applyReport } from './reports.ts'
import { FIRST_POLL_SECONDS, nextPoll, POLL, SOON_SECONDS } from './schedule.ts'

/** Schedules the first poll of a new order, with the commit that creates it. */
export function startPolls(unit: UnitOfWork, direction: Direction, order: OrderRow): void {
  unit.insert(PollEntity, {
    id: order.id,
    organisationId: order.organisationId,
    environment: order.environment,
    direction,
    nextPollAt: new Date(order.createdAt.getTime() + FIRST_POLL_SECONDS * 1000),
    pollSeconds: FIRST_POLL_SECONDS,
    failingSince: null,
    error: null,
    createdAt: order.createdAt,
  })
}

/** Makes an order due for its poll now: the only effect of a provider's callback. An unknown order changes nothing. */
export async function schedulePoll(runtime: Runtime, environment: Environment, id: string): Promise<void> {
  if (!isId(id)) return
  const { rowCount } = await runtime.pool.query(
    `update fiat_polls set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, $3)
      where environment = $1 and id = $2`,
    [environment, id, SOON_SECONDS],
  )
  if (rowCount) runtime.trigger(POLL)
}

/** Asks the provider for an order. No transaction is open meanwhile. */
export async function fetchReport(context: QueryContext, direction: Direction, order: OrderRow): Promise<OrderReport> {
  const { runtime } = context
  const offramp = direction === 'offramp'
  const { report, calls } = await runtime.providers.get(fiatProvider, order.environment).report({
    direction,
    reference: order.id,
    providerOrderId: order.providerOrderId,
    asset: offramp ? order.sourceCurrency : order.destinationCurrency,
    currency: offramp ? order.destinationCurrency : order.sourceCurrency,
  })
  if (calls > 1) await budget.consume(runtime.pool, order.environment, calls - 1)
  return report
}

/** Applies a report and schedules the next poll, in the caller's transaction. */
export async function applyPoll(
  unit: UnitOfWork,
  direction: Direction,
  id: string,
  report: OrderReport,
  pollSeconds: number = SOON_SECONDS,
): Promise<OrderRow> {
  const { order, changed } = await applyReport(unit, direction, id, report)
  const next = nextPoll(order, pollSeconds, changed)
  if (next) await unit.em.nativeUpdate(PollEntity, { id }, { ...next, failingSince: null, error: null })
  else await unit.em.nativeDelete(PollEntity, { id })
  return order
}

/** Polls a claimed order and applies what the provider reports. A poll that fails leaves its reason for operators. */
export async function poll(runtime: Runtime, claimed: ClaimedOrder): Promise<void> {
  const { id, direction, organisationId, environment, pollSeconds } = claimed
  const context = queryContext(runtime, system(organisationId, environment))
  const order = (await context.em.findOne(orderResource[direction].entity, { id })) as OrderRow | null
  if (!order) throw orderMissing[direction]()
  let report: OrderReport
  try {
    report = await fetchReport(context, direction, order)
  } catch (error) {
    await unitOfWork(context, (unit) => noteFailure(unit, claimed, error))
    throw error
  }
  await unitOfWork(context, (unit) => applyPoll(unit, direction, id, report, pollSeconds))
}

/** The provider did not answer: the order stays as it is, and what became of received money is unknown until it does. */
async function noteFailure(unit: UnitOfWork, { id, direction, pollSeconds }: ClaimedOrder, error: unknown) {
  const order = await locked(unit, orderResource[direction], id, orderMissing[direction])
  const paying = order.status === 'processing' || order.status === 'settled'
  if (direction === 'offramp' && paying && !('providerOutcome' in order && order.providerOutcome))
    await update(unit, direction, order, { providerOutcome: 'unknown' })
  const known = await unit.em.findOne(PollEntity, { id }, { disableIdentityMap: true })
  const next = nextPoll(order, pollSeconds, false)
  await unit.em.nativeUpdate(
    PollEntity,
    { id },
    {
      ...next,
      failingSince: known?.failingSince ?? new Date(),
      error: error instanceof ServiceError ? error.code : 'internal',
    },
  )
}
