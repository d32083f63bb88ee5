import { type AssetSymbol, assetNamed, assets, invalid, positiveAmount } from '@payments/kernel'
import { type Draft, guardSuspense } from '@payments/ledger'
import {
  actingFor,
  keepKnownReport,
  locked,
  move,
  requireSecondOperator,
  settleContradictions,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { journalOf } from '../entities/journal.ts'
import { errors } from '../errors.ts'
import { conform } from '../money/conform.ts'
import { tellOwner } from '../money/hidden-payments.ts'
import { createRefund, type OrderRow, orderMissing, orderResource, updateAnnounced } from '../orders/orders.ts'
import { refundResource } from '../orders/resources.ts'
import { schedulePolls } from '../orders/schedule.ts'
import { recordEvidence } from '../polling/evidence.ts'
import { draftsOf, expectedAmount } from '../polling/reports.ts'
import type { Direction, OrderReport } from '../provider/provider.ts'
import type { Settlement } from '../schemas.ts'
import { findForOperator } from './admin.ts'

type Input = Omit<z.output<typeof Settlement>, 'reason'>

/** What an operator says of an order, in minor units. */
interface Ending {
  readonly outcome: Input['outcome']
  /** Zero: nothing. */
  readonly received: bigint
  readonly converted: bigint
  readonly refunded: bigint
  readonly txHash: string | null
  /** The operator says how much arrived. */
  readonly isKnown: boolean
}

/**
 * Ends an order as an operator knows that it ended, from every state, ended ones too: with the status, the events and the journal
 * that follow from it, whatever was posted before. What the provider reports afterwards changes nothing; where it contradicts, it is
 * kept for operators.
 * @throws fiat_order_not_found 404, fiat_nothing_to_settle 409, suspense_moved 409, validation_failed 422, second_operator_required 403
 */
export async function settle(
  unit: UnitOfWork,
  input: Input,
): Promise<{ direction: Direction; before: OrderRow; order: OrderRow }> {
  const { direction, order: found } = await findForOperator(unit, input.orderId)
  const own = actingFor(unit, found)
  const before = await locked(own, orderResource[direction], found.id, orderMissing[direction])
  const ending = endingOf(before, input)
  if (isEnded(before, ending)) throw errors.fiat_nothing_to_settle()
  const moved = ending.received > (before.receivedAmount ?? 0n) ? ending.received : (before.receivedAmount ?? 0n)
  await requireSecondOperator(own, assets[before.sourceCurrency as AssetSymbol], moved)
  const checkSuspense = await guardSuspense(own, [before.sourceCurrency, before.destinationCurrency])
  const ended = await end(own, direction, before, ending)
  schedulePolls(own, direction, ended)
  await tellOwner(own, ended)
  await checkSuspense()
  await keepKnownReport(own, ended)
  recordEvidence(own, direction, ended, reportOf(ended, ending))
  settleContradictions(own, ended)
  return { direction, before, order: ended }
}

function endingOf(order: OrderRow, input: Input): Ending {
  const { outcome, txHash = null } = input
  const { sourceCurrency, destinationCurrency } = order
  if (outcome === 'not_received') {
    if (order.status === 'delivered')
      throw invalid({
        outcome:
          'Must not be "not_received", because the order was delivered; "refunded" says that its money came back',
      })
    if (input.receivedAmount ?? input.amount)
      throw invalid({ [input.amount ? 'amount' : 'receivedAmount']: 'Must be absent: nothing was received' })
    return { outcome, received: 0n, converted: order.convertedAmount, refunded: 0n, txHash: null, isKnown: true }
  }
  const asked = order.receivedAmount ?? expectedAmount(order)
  const received = units(input.receivedAmount, sourceCurrency, 'receivedAmount') ?? asked
  const delivers = outcome === 'delivered'
  const amount = units(input.amount, delivers ? destinationCurrency : sourceCurrency, 'amount')
  // What was agreed holds for what was asked for; another amount is converted to what only the operator can know.
  if (delivers && amount === undefined && received !== asked)
    throw invalid({ amount: 'Required: what the recipient got for another amount than was received' })
  if (!delivers && amount !== undefined && amount > received)
    throw invalid({ amount: 'Must be at most what was received' })
  return {
    outcome,
    received,
    converted: delivers ? (amount ?? order.convertedAmount) : order.convertedAmount,
    refunded: delivers ? 0n : (amount ?? received),
    txHash,
    isKnown: input.receivedAmount !== undefined,
  }
}

const units = (text: string | undefined, symbol: string, field: string): bigint | undefined =>
  text === undefined ? undefined : positiveAmount(text, assetNamed(symbol), field)

/** Has it ended so already, and does nothing contradict? Where an operator is needed, saying it again is an answer. */
function isEnded(order: OrderRow, { outcome, received, converted, refunded, isKnown }: Ending): boolean {
  if (order.attention) return false
  // Nothing is booked that nobody saw: the operator says what arrived.
  if (order.receivedAmount == null && outcome !== 'not_received' && !isKnown) return true
  const sameMoney = (order.receivedAmount ?? 0n) === received
  const back = order.refund?.status === 'completed'
  switch (outcome) {
    case 'delivered':
      return order.status === 'delivered' && !back && sameMoney && order.convertedAmount === converted
    case 'refunded':
      return back && sameMoney && BigInt(order.refund?.amount ?? 0) === refunded
    default:
      return (order.status === 'failed' || order.status === 'expired') && order.receivedAmount == null
  }
}

/** The changes of the row, of its refund and of the journal, each with its event. */
async function end(unit: UnitOfWork, direction: Direction, before: OrderRow, ending: Ending): Promise<OrderRow> {
  const { outcome, received, converted, txHash } = ending
  const arrived = outcome === 'not_received' ? {} : { receivedAmount: received }
  const fields: Partial<OrderRow> = {
    ...arrived,
    convertedAmount: converted,
    fee: received > 0n && before.fee > received ? received : before.fee,
    attention: null,
    settledAt: new Date(),
    ...(direction === 'offramp' ? { providerOutcome: null } : {}),
  }
  const drafts: Draft[] = []
  let order = before
  const pass = async (events: readonly string[], of: (event: string) => Partial<OrderRow>) => {
    for (const event of events) {
      const changes = { ...fields, ...of(event) } as Partial<OrderRow>
      const moved = await move(unit, orderResource[direction], before.id, event, orderMissing[direction], changes)
      // Onramps have no state between processing and delivery.
      if (moved.outcome === 'ignored') continue
      const { row } = moved
      drafts.push(...draftsOf(direction, event, order, row))
      order = row
    }
  }
  if (outcome === 'refunded') {
    await createRefund(unit, before)
    await pass(FAILURE[before.status] ?? [], (event) =>
      event === 'fail' ? { failureReason: reasonOf(direction, before) } : {},
    )
    await completeRefund(unit, before, ending)
    if (order !== before) drafts.push(journalOf(direction, order).refunded(ending.refunded, false))
    order = await updateAnnounced(unit, direction, await reload(unit, direction, before), fields)
  } else {
    await withdrawRefund(unit, before)
    const ended =
      outcome === 'delivered'
        ? {
            failureReason: null,
            ...(txHash === null ? {} : { txHash }),
            ...(direction === 'offramp' ? { returnedAt: null } : {}),
          }
        : ({
            failureReason: direction === 'offramp' ? 'deposit_not_received' : 'payment_not_received',
            receivedAmount: null,
          } as const)
    const isOpen = before.status !== 'failed' && before.status !== 'expired'
    await pass(
      outcome === 'delivered' ? (DELIVERY[before.status] ?? []) : isOpen ? ['fail'] : [],
      () => ended as Partial<OrderRow>,
    )
    const changes =
      before.status === 'expired' && outcome === 'not_received'
        ? fields
        : ({ ...fields, ...ended } as Partial<OrderRow>)
    if (order === before) order = await updateAnnounced(unit, direction, await reload(unit, direction, before), changes)
  }
  await conform(unit, direction, order, 'settled', drafts)
  return order
}

/** The events from each state to delivery; a refused order is corrected. */
const DELIVERY: Readonly<Record<string, readonly string[]>> = {
  pending: ['receive', 'settle', 'deliver'],
  awaiting_payment: ['receive', 'deliver'],
  expired: ['receive', 'deliver'],
  processing: ['settle', 'deliver'],
  settled: ['deliver'],
  failed: ['correct'],
}
/** The events from each state to failure; money is never skipped. */
const FAILURE: Readonly<Record<string, readonly string[]>> = {
  pending: ['receive', 'fail'],
  awaiting_payment: ['receive', 'fail'],
  expired: ['receive', 'fail'],
  processing: ['fail'],
  settled: ['fail'],
}

const reasonOf = (direction: Direction, { status }: OrderRow) =>
  direction === 'onramp' ? 'delivery_failed' : status === 'settled' ? 'returned_by_bank' : 'payout_failed'

const reload = (unit: UnitOfWork, direction: Direction, { id }: OrderRow): Promise<OrderRow> =>
  locked(unit, orderResource[direction], id, orderMissing[direction])

const withdrawRefund = async (unit: UnitOfWork, { id, refund }: OrderRow): Promise<void> => {
  if (refund) await move(unit, refundResource, id, 'withdraw', errors.fiat_order_not_found)
}

async function completeRefund(unit: UnitOfWork, order: OrderRow, { refunded, txHash }: Ending): Promise<void> {
  await createRefund(unit, order)
  // One that is completed with another amount is begun anew.
  if (order.refund?.status === 'completed') await withdrawRefund(unit, order)
  const fields = { amount: refunded, ...(txHash === null ? {} : { txHash }) }
  await move(unit, refundResource, order.id, 'complete', errors.fiat_order_not_found, fields)
}

/** What the operator said, as the provider would have reported it: the evidence from now on. */
const reportOf = (order: OrderRow, { outcome, received, converted, refunded, txHash }: Ending): OrderReport => ({
  status: outcome === 'delivered' ? 'delivered' : 'failed',
  receivedAmount: outcome === 'not_received' ? null : received,
  convertedAmount: outcome === 'delivered' ? converted : null,
  fee: null,
  txHash,
  failureReason: order.failureReason ?? null,
  refund: outcome === 'refunded' ? { status: 'completed', amount: refunded, txHash } : null,
  outcomeUnknown: false,
})
