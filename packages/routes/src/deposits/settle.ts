import {
  amountField,
  assetOf,
  dollarsOfPart,
  isId,
  type Mistakes,
  newId,
  refuseMistakes,
  spelledHash,
} from '@payments/kernel'
import { guardSuspense } from '@payments/ledger'
import {
  actingFor,
  keepKnownReport,
  locked,
  move,
  recordReport,
  requireSecondOperator,
  settleContradictions,
  sqlOf,
  type UnitOfWork,
  updateResource,
} from '@payments/platform'
import type { z } from 'zod'
import {
  DepositEntity,
  type DepositRow,
  hiddenRouteResource,
  RouteEntity,
  type RouteRow,
  routeResource,
  WITH_HIDDEN,
} from '../entity.ts'
import { errors } from '../errors.ts'
import type { DepositReport } from '../provider/provider.ts'
import type { Settlement } from '../schemas.ts'
import type { depositMachine } from '../states.ts'
import { findExisting } from './existing.ts'
import { applyReports, DepositChangesOf, machineOf } from './reports.ts'

type Input = Omit<z.output<typeof Settlement>, 'depositId'>
type Status = 'completed' | 'failed' | 'refunded'

/** What an operator says became of a deposit, as its status. What never arrived failed, with nothing received. */
const STATUS: Readonly<Record<Input['outcome'], Status>> = {
  completed: 'completed',
  refunded: 'refunded',
  not_received: 'failed',
}

/** The event that leads from one end to another. */
const EVENT: Readonly<Record<Status, Readonly<Record<string, (typeof depositMachine.events)[number]>>>> = {
  completed: { pending: 'complete', failed: 'complete', refunded: 'correct_to_completed' },
  refunded: { pending: 'refund', failed: 'refund', completed: 'correct_to_refunded' },
  failed: { pending: 'fail', completed: 'correct_to_failed', refunded: 'correct_to_failed' },
}

/**
 * Ends a deposit of any organisation as an operator knows that it ended, whatever its state: with the states, events and balances as
 * if the provider had reported it, and the operator's evidence in place of a report. Contradictions are settled by it.
 * The owner of a hidden route is told.
 * @throws deposit_not_found 404, suspense_moved 409, validation_failed 422 where an amount is missing, second_operator_required 403
 */
export async function settleDeposit(
  unit: UnitOfWork,
  id: string,
  input: Input,
): Promise<{ before: DepositRow; deposit: DepositRow }> {
  const { own, route } = await findRoute(unit, id)
  // The route first, as a poll locks them.
  await locked(own, route.hidden ? hiddenRouteResource : routeResource, route.id, errors.payment_route_not_found)
  const before = await locked(own, machineOf(route), id, errors.deposit_not_found)
  const fields = fieldsOf(before, input)
  await limit(own, before, fields)
  const checkSuspense = await guardSuspense(own, [before.originCurrency])
  const deposit = await write(own, route, before, fields, STATUS[input.outcome])
  const changes = new DepositChangesOf(own, route)
  changes.add(before, deposit, {}, `settled.${deposit.settlements}`)
  await changes.tellOwner()
  await changes.post()
  await checkSuspense()
  await keepKnownReport(own, before)
  keepEvidence(own, deposit, input)
  settleContradictions(own, before)
  return { before, deposit }
}

async function findRoute(unit: UnitOfWork, id: string): Promise<{ own: UnitOfWork; route: RouteRow }> {
  const filters = { tenant: false, ...WITH_HIDDEN }
  const found = isId(id) ? await unit.em.findOne(DepositEntity, { id }, { filters, disableIdentityMap: true }) : null
  if (!found) throw errors.deposit_not_found()
  const route = await unit.em.findOneOrFail(
    RouteEntity,
    { id: found.paymentRouteId },
    { filters, disableIdentityMap: true },
  )
  return { own: actingFor(unit, found), route }
}

type Fields = Pick<
  DepositRow,
  | 'originAmount'
  | 'originAmountUsd'
  | 'returnedAmount'
  | 'destinationAmountUsd'
  | 'destinationAmount'
  | 'failureReason'
  | 'settledAt'
  | 'settlements'
>

function fieldsOf(before: DepositRow, { outcome, amount, receivedAmount, refundedAmount, txHash }: Input): Fields {
  const wrong: Mistakes = {}
  const given = (field: string, text: string | undefined, symbol: string, known: bigint | null | undefined) => {
    const asset = assetOf(symbol)
    if (text === undefined || !asset) return known ?? (asset ? null : 0n)
    return amountField(wrong, field, text, asset) ?? null
  }
  const received = given('receivedAmount', receivedAmount, before.originCurrency, before.originAmount)
  const delivered = given('amount', amount, before.destinationCurrency, before.destinationAmount)
  const back = given('refundedAmount', refundedAmount, before.originCurrency, before.returnedAmount)
  if (outcome === 'refunded' && back !== null && received !== null && back > received)
    wrong.refundedAmount = 'Must be at most what was received'
  if (outcome === 'completed' && received === null) wrong.receivedAmount ??= 'Required: the provider did not report it'
  if (outcome === 'completed' && !delivered) wrong.amount ??= 'Required: what was delivered'
  refuseMistakes(wrong)
  const originAmount = outcome === 'not_received' ? 0n : received
  const destinationAmount = outcome === 'completed' ? delivered : null
  return {
    originAmount,
    originAmountUsd: dollarsOf(before.originAmountUsd, originAmount, before.originAmount),
    returnedAmount: outcome === 'refunded' ? back : outcome === 'completed' ? (before.returnedAmount ?? null) : null,
    destinationAmount,
    destinationAmountUsd: dollarsOf(before.destinationAmountUsd, destinationAmount, before.destinationAmount),
    failureReason:
      outcome === 'completed'
        ? null
        : outcome === 'not_received'
          ? 'deposit_not_confirmed'
          : (before.failureReason ?? 'delivery_failed'),
    settledAt: new Date(),
    settlements: before.settlements + 1,
    ...(txHash && before.depositTxHash == null ? { depositTxHash: spelledHash(before.originChainKey, txHash) } : {}),
  }
}

/** The value of an amount that an operator gives, at the price at which the amount before it had one. */
const dollarsOf = (dollars: string | null | undefined, amount: bigint | null, before: bigint | null | undefined) =>
  amount === null ? null : dollarsOfPart(dollars, amount, before ?? 0n)

/** The larger of what was and what is said to be counts, of what was received and of what was delivered. */
async function limit(unit: UnitOfWork, before: DepositRow, { originAmount, destinationAmount }: Fields): Promise<void> {
  const amounts: [string, bigint | null | undefined][] = [
    [before.originCurrency, before.originAmount],
    [before.originCurrency, originAmount],
    [before.destinationCurrency, before.destinationAmount],
    [before.destinationCurrency, destinationAmount],
  ]
  const known = amounts.flatMap(([symbol, amount]) => {
    const asset = assetOf(symbol)
    return asset && amount ? [{ asset, amount }] : []
  })
  // Of each asset the largest amount: whichever of them is wrong, one operator alone books no more of it than the limit.
  const largest = new Map<string, (typeof known)[number]>()
  for (const each of known)
    if (each.amount > (largest.get(each.asset.symbol)?.amount ?? 0n)) largest.set(each.asset.symbol, each)
  for (const { asset, amount } of largest.values()) await requireSecondOperator(unit, asset, amount)
}

async function write(
  unit: UnitOfWork,
  route: RouteRow,
  before: DepositRow,
  fields: Fields,
  status: Status,
): Promise<DepositRow> {
  const of = machineOf(route)
  const event = EVENT[status][before.status]
  if (event) return (await move(unit, of, before.id, event, errors.deposit_not_found, fields)).row
  return updateResource(unit, of, before, fields, isOther(before, fields) ? 'correction' : 'event')
}

/** Other amounts are a correction; a refund that was passed on is none. */
const isOther = (before: DepositRow, after: Fields): boolean =>
  before.originAmount !== after.originAmount || before.destinationAmount !== after.destinationAmount

/**
 * Records a deposit that no provider has reported with its transaction, at a route of any organisation, and ends it as an operator knows that it ended.
 * One with the same transaction is that deposit.
 * @throws payment_route_not_found 404, and what {@link settleDeposit} throws
 */
export async function recordDeposit(
  unit: UnitOfWork,
  routeId: string,
  { txHash, receivedAmount, ...input }: Input & { readonly txHash: string; readonly receivedAmount: string },
): Promise<{ before: DepositRow; deposit: DepositRow }> {
  const filters = { tenant: false, ...WITH_HIDDEN }
  const route = isId(routeId)
    ? await unit.em.findOne(RouteEntity, { id: routeId }, { filters, disableIdentityMap: true })
    : null
  if (!route) throw errors.payment_route_not_found()
  const own = actingFor(unit, route)
  await locked(own, route.hidden ? hiddenRouteResource : routeResource, route.id, errors.payment_route_not_found)
  const wrong: Mistakes = {}
  const asset = assetOf(route.originCurrency)
  const received = asset && amountField(wrong, 'receivedAmount', receivedAmount, asset)
  refuseMistakes(wrong)
  const report: DepositReport = {
    requestId: `operator:${newId()}`,
    status: 'pending',
    origin: { networkKey: route.originChainKey, currency: route.originCurrency },
    originAmount: received ?? null,
    originAmountUsd: null,
    destinationAmount: null,
    destinationAmountUsd: null,
    depositTxHash: txHash,
    failureReason: null,
    providerReason: null,
    updatedAt: new Date(),
  }
  await applyReports(own, route, [report])
  const stored = (await findExisting(sqlOf(own.em), route.environment, [route.id], [report])).of(route.id, report)
  if (!stored) throw errors.deposit_not_found()
  const settled = await settleDeposit(unit, stored.id, { ...input, receivedAmount, txHash })
  // What the provider told of the route without a transaction is this.
  settleContradictions(own, route)
  return settled
}

function keepEvidence(unit: UnitOfWork, row: DepositRow, { outcome, evidence, txHash }: Input): void {
  const { originAmount, destinationAmount } = row
  recordReport(unit, {
    organisationId: row.organisationId,
    environment: row.environment,
    resourceType: 'payment_route_deposit',
    resourceId: row.id,
    provider: 'operator',
    report: { outcome, evidence, txHash: txHash ?? null },
    amounts: {
      ...(originAmount == null ? {} : { received: { asset: row.originCurrency, amount: originAmount } }),
      ...(destinationAmount == null
        ? {}
        : { delivered: { asset: row.destinationCurrency, amount: destinationAmount } }),
      ...(row.status === 'refunded' && row.returnedAmount != null
        ? { refunded: { asset: row.originCurrency, amount: row.returnedAmount } }
        : {}),
    },
  })
}
