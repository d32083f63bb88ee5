import { system } from '@payments/kernel'
import {
  hasOtherCredentials,
  heedingPause,
  locked,
  nextPollOf,
  pollTask as polling,
  type QueryContext,
  queryContext,
  type Runtime,
  sqlOf,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import { PollEntity } from '../entities/entity.ts'
import { errors } from '../errors.ts'
import { tellOwner } from '../money/hidden-payments.ts'
import { type OrderRow, orderMissing, orderResource, update } from '../orders/orders.ts'
import {
  CANCELLED_SECONDS,
  endPolls,
  keepPolls,
  nextPoll,
  POLL,
  polls,
  postpone,
  SOON_SECONDS,
} from '../orders/schedule.ts'
import { budget, type ClaimedOrder, pauseOf } from '../provider/limits.ts'
import { type Direction, fiatProvider, type OrderReport } from '../provider/provider.ts'
import { bindCredentials, expectOurAccount, waitForCredentials } from './credentials.ts'
import { applyReport, expectedAmount, isNothingNew } from './reports.ts'

/**
 * Asks the provider for an order, with the credentials of now: {@link poll} asks with those that created it only. No transaction is open meanwhile.
 * @throws fiat_order_not_shown 503 where our key may be of another account
 */
export async function fetchReport(context: QueryContext, direction: Direction, order: OrderRow): Promise<OrderReport> {
  const { runtime } = context
  const offramp = direction === 'offramp'
  const provider = runtime.providers.of(fiatProvider, order)
  const { report, calls } = await heedingPause(runtime.pool, pauseOf(provider, order.environment), () =>
    provider.report({
      direction,
      reference: order.id,
      providerOrderId: order.providerOrderId,
      asset: offramp ? order.sourceCurrency : order.destinationCurrency,
      networkKey: order.networkKey,
      currency: offramp ? order.destinationCurrency : order.sourceCurrency,
      amount: order.amount,
      asked: expectedAmount(order),
      rate: order.rate,
    }),
  )
  if (!report.cancelled) await bindCredentials(runtime, provider, direction, order)
  if (calls > 1) await budget.consume(runtime.pool, order, calls - 1)
  if (report.cancelled) {
    await budget.consume(runtime.pool, order, 1)
    if (hasOtherCredentials(provider, order)) throw errors.fiat_order_not_shown()
    await heedingPause(runtime.pool, pauseOf(provider, order.environment), () =>
      expectOurAccount(runtime, provider, order),
    )
  }
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
  const cancelledSince = report.cancelled ? await sinceWhenCancelled(unit, id) : null
  const isOver = cancelledSince !== null && Date.now() - cancelledSince.getTime() > CANCELLED_SECONDS * 1000
  const { order, changed } = isOver
    ? await endCancelled(unit, direction, id, report)
    : await applyReport(unit, direction, id, report)
  const next = nextPoll(order, pollSeconds, changed)
  if (next) keepPolls(unit, direction, order, next, cancelledSince)
  else endPolls(unit, id)
  // Its owner locks what is its own after everything of the order.
  if (changed) await tellOwner(unit, order)
  return order
}

async function sinceWhenCancelled(unit: UnitOfWork, id: string): Promise<Date> {
  const known = await unit.em.findOne(PollEntity, { id }, { disableIdentityMap: true })
  return known?.cancelledSince ?? new Date()
}

/**
 * The provider has hidden an order for so long that it neither assigned it again nor sent its money back: it has failed, with its
 * money at the provider, for an operator to look at. Every later report still counts. One that was delivered has no money there: that it
 * is not shown any more, as to the key of another account, does not say that the bank returned it.
 */
async function endCancelled(unit: UnitOfWork, direction: Direction, id: string, report: OrderReport) {
  const before = await locked(unit, orderResource[direction], id, orderMissing[direction])
  if (before.status === 'delivered') return { order: before, changed: false }
  const failed: OrderReport = { ...report, status: 'failed', cancelled: false, outcomeUnknown: false }
  const { order, changed } = await applyReport(unit, direction, id, failed)
  // It had money, or it would not have been cancelled: how much, nobody has seen.
  if (!changed || order.attention) return { order, changed }
  return { order: await update(unit, direction, order, { attention: 'cancelled_by_provider' }), changed }
}

/** Polls a claimed order and applies what the provider reports. A poll that fails, or whose report cannot be applied, leaves its reason for operators. */
export async function poll(runtime: Runtime, claimed: ClaimedOrder): Promise<void> {
  const { id, direction, organisationId, environment, pollSeconds } = claimed
  const context = queryContext(runtime, system(organisationId, environment))
  const { entity, filters = {} } = orderResource[direction]
  const order = (await context.em.findOne(entity, { id }, { filters })) as OrderRow | null
  if (!order) throw orderMissing[direction]()
  if (hasOtherCredentials(runtime.providers.of(fiatProvider, order), order)) return waitForCredentials(runtime, claimed)
  let report: OrderReport
  try {
    report = await fetchReport(context, direction, order)
  } catch (error) {
    await unitOfWork(context, (unit) => noteFailure(unit, claimed, error))
    throw error
  }
  const next = isNothingNew(order, report) && nextPoll(order, pollSeconds, false)
  if (next) return void (await postpone(runtime, { id, was: pollSeconds, ...next }))
  try {
    await unitOfWork(context, (unit) => applyPoll(unit, direction, id, report, pollSeconds))
  } catch (error) {
    // The provider has answered, so `providerOutcome` stays as it is.
    await polls.noteFailure(runtime.pool, id, error, nextPoll(order, pollSeconds, false))
    throw error
  }
}

/** The provider did not answer: the order stays as it is, and the outcome of received money is unknown until it does. */
async function noteFailure(unit: UnitOfWork, { id, direction, pollSeconds }: ClaimedOrder, error: unknown) {
  const order = await locked(unit, orderResource[direction], id, orderMissing[direction])
  const paying = order.status === 'processing' || order.status === 'settled'
  if (direction === 'offramp' && paying && !('providerOutcome' in order && order.providerOutcome))
    await update(unit, direction, order, { providerOutcome: 'unknown' })
  await polls.noteFailure(sqlOf(unit.em), id, error, nextPoll(order, pollSeconds, false))
}

/** Polls the orders that are due. `docs/decisions/local-fiat.md` explains the schedule. */
export const pollTask = polling({
  name: POLL,
  because: 'An order on its way is polled every few seconds, under the limit that all share',
  port: fiatProvider,
  object: 'order',
  due: (environment, { name: provider }) => nextPollOf('fiat_polls', { provider, environment }),
  claim: async ({ pool }, environment, { name: provider, callsPerMinute }, limit) =>
    (await budget.claim(pool, { provider, environment, callsPerMinute }, limit)) as ClaimedOrder[],
  poll,
})
