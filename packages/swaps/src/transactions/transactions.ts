import { postWithCommit } from '@payments/ledger'
import { locked, move, moveLocked, type QueryContext, recordReport, type UnitOfWork } from '@payments/platform'
import {
  PollEntity,
  type SwapRow,
  SwapTransactionEntity,
  type SwapTransactionRow,
  SwapUpkeepEntity,
  type SwapUpkeepRow,
  swapResource,
} from '../entity.ts'
import { errors } from '../errors.ts'
import type { PaidTransaction, RefusedSwap, TransactionOutcome } from '../provider/provider.ts'
import { neededTransaction, update } from '../swaps/changes.ts'
import { isAffordable } from './costs.ts'
import { isHeld } from './held.ts'
import { journalOf } from './journal.ts'

/** A swap whose transactions were dropped this often fails. A refund is tried for ever. */
const MOST_DROPPED = 5
/** A swap fails with the second quote that is refused. */
const MOST_REFUSED = 2
const FAILED_REFUND_SECONDS = 5

/** The transaction of a swap whose outcome is not known yet. */
export const openTransaction = (context: QueryContext, swapId: string): Promise<SwapTransactionRow | null> =>
  context.em.findOne(SwapTransactionEntity, { swapId, outcome: null }, { disableIdentityMap: true })

/** False for a while after a refund that failed on the network: each attempt waits twice as long as the one before. */
export async function mayRefund(context: QueryContext, swapId: string, now: number = Date.now()): Promise<boolean> {
  const failed = await context.em.find(
    SwapTransactionEntity,
    { swapId, kind: 'refund', outcome: 'failed' },
    { orderBy: { createdAt: 'desc' }, limit: 10, disableIdentityMap: true },
  )
  const [last] = failed
  return !last || now >= last.createdAt.getTime() + FAILED_REFUND_SECONDS * 2 ** failed.length * 1000
}

/** Whether a refund of the swap has created the token account of the refund address: the fee payer pays that rent once. */
export const hasCreatedAccount = async (context: QueryContext, swapId: string): Promise<boolean> =>
  (await context.em.count(SwapTransactionEntity, {
    swapId,
    kind: 'refund',
    createsAccount: true,
    outcome: { $in: [null, 'finalized'] },
  })) > 0

/**
 * Stores a signed transaction before it is sent. False: another worker was faster, or the swap needs this transaction no
 * more, or would create the destination's token account and may not; then it must not be sent.
 * @throws swap_refund_limit_reached 409 when refunds of the organisation would cost the fee payer more than a day may cost
 */
export async function storeTransaction(
  unit: UnitOfWork,
  id: string,
  needed: { readonly kind: 'swap' | 'refund'; readonly amount: bigint },
  prepared: PaidTransaction,
): Promise<boolean> {
  const swap = await locked(unit, swapResource, id, errors.swap_not_found)
  const now = neededTransaction(swap, unit.runtime.settings)
  if (now?.kind !== needed.kind || now.amount !== needed.amount || (await openTransaction(unit, id))) return false
  // Its organisation may have been suspended since it was prepared.
  if (await isHeld(unit, swap)) return false
  if (!(await isAffordable(unit, swap, needed.kind, prepared))) {
    if (needed.kind === 'refund') throw errors.swap_refund_limit_reached()
    await fail(unit, id, 'destination_account_missing')
    return false
  }
  unit.insert(SwapTransactionEntity, {
    signature: prepared.signature,
    swapId: id,
    organisationId: swap.organisationId,
    environment: swap.environment,
    kind: needed.kind,
    amount: needed.amount,
    payload: prepared.payload,
    createsAccount: prepared.createsAccount,
    costLamports: prepared.costLamports,
    outcome: null,
    createdAt: new Date(),
  })
  return true
}

/** Stores a signed transaction that moves no money of a swap, before it is sent. */
export const storeUpkeep = (
  { em }: Pick<QueryContext, 'em'>,
  row: Pick<SwapUpkeepRow, 'signature' | 'environment' | 'kind' | 'address'>,
): Promise<unknown> => em.insert(SwapUpkeepEntity, { ...row, createdAt: new Date() })

/** Counts a refused quote; the second one fails the swap, whose deposit is then sent back. */
export async function refuseQuote(unit: UnitOfWork, id: string, reason: RefusedSwap): Promise<SwapRow> {
  const swap = await locked(unit, swapResource, id, errors.swap_not_found)
  if (swap.status !== 'swapping' || (await openTransaction(unit, id))) return swap
  const refusedQuotes = swap.refusedQuotes + 1
  if (refusedQuotes < MOST_REFUSED) return update(unit, swap, { refusedQuotes })
  return fail(unit, id, reason, { refusedQuotes })
}

/**
 * Applies the final outcome of an open transaction, in the caller's transaction: the swap's status, its amounts and its
 * journal entry. An outcome that was applied before changes nothing.
 */
export async function applyOutcome(
  unit: UnitOfWork,
  { swapId, signature }: SwapTransactionRow,
  outcome: TransactionOutcome,
): Promise<SwapRow> {
  const swap = await locked(unit, swapResource, swapId, errors.swap_not_found)
  if (outcome.status === 'unknown' || outcome.status === 'pending') return swap
  const open = await openTransaction(unit, swapId)
  if (open?.signature !== signature) return swap
  // What is dropped costs nothing, and one that failed has created no account.
  const costLamports = outcome.status === 'dropped' ? 0n : outcome.costLamports
  await unit.em.nativeUpdate(
    SwapTransactionEntity,
    { signature },
    { outcome: outcome.status, ...(costLamports === undefined ? {} : { costLamports }) },
  )
  if (outcome.status === 'finalized')
    return open.kind === 'swap' ? complete(unit, swap, open, outcome) : returned(unit, swap, open)
  if (open.kind === 'refund') return swap
  if (outcome.status === 'failed') return fail(unit, swapId, 'swap_failed')
  const dropped = await unit.em.count(SwapTransactionEntity, { swapId, kind: 'swap', outcome: 'dropped' })
  return dropped < MOST_DROPPED ? swap : fail(unit, swapId, 'not_confirmed')
}

/**
 * Fails a swap whose provider has failed for too long, so that its deposit is sent back. One with a transaction under way is
 * left alone: the transaction may still be accepted.
 */
export async function giveUp(unit: UnitOfWork, id: string, since: Date): Promise<void> {
  const swap = await locked(unit, swapResource, id, errors.swap_not_found)
  const { failingSince } = await unit.em.findOneOrFail(PollEntity, { id }, { refresh: true })
  if (swap.status !== 'swapping' || !failingSince || failingSince > since || (await openTransaction(unit, id))) return
  await fail(unit, id, 'provider_unavailable')
}

/** Fails a swap, whose deposit is then sent back. */
export const fail = async (
  unit: UnitOfWork,
  id: string,
  failureReason: string,
  more: Partial<SwapRow> = {},
): Promise<SwapRow> =>
  (await move(unit, swapResource, id, 'fail', errors.swap_not_found, { ...more, failureReason })).row

/** Ends a swap whose deposit did not come in time. */
export const expire = async (unit: UnitOfWork, id: string): Promise<SwapRow> =>
  (await move(unit, swapResource, id, 'expire', errors.swap_not_found)).row

type Sent = Pick<SwapTransactionRow, 'signature' | 'amount'>

/** Completes a locked swap with what its transaction delivered. */
export async function complete(
  unit: UnitOfWork,
  swap: SwapRow,
  { signature, amount }: Sent,
  { receivedAmount, fees }: Omit<Extract<TransactionOutcome, { status: 'finalized' }>, 'status'>,
): Promise<SwapRow> {
  const fields = { receivedAmount, fees, swapTxHash: signature }
  const { row } = await moveLocked(unit, swapResource, swap, 'complete', fields)
  await postWithCommit(unit, journalOf(swap).swapped(amount, receivedAmount, fees))
  recordReport(unit, {
    organisationId: row.organisationId,
    environment: row.environment,
    resourceType: 'swap',
    resourceId: row.id,
    provider: swap.provider,
    report: { transaction: signature, given: amount, received: receivedAmount, fees },
    amounts: { delivered: { asset: row.toCurrency, amount: receivedAmount } },
  })
  return row
}

/** Records what a transaction has sent back to the refund address of a locked swap. */
export async function returned(unit: UnitOfWork, swap: SwapRow, { signature, amount }: Sent): Promise<SwapRow> {
  const fields = { returnedAmount: swap.returnedAmount + amount, refundTxHash: signature }
  const { row, outcome } = await moveLocked(unit, swapResource, swap, 'return', fields)
  // The excess of a completed swap, or another deposit to one that was refunded before.
  const after = outcome === 'moved' ? row : await update(unit, swap, fields)
  await postWithCommit(unit, journalOf(swap).returned(signature, amount))
  return after
}
