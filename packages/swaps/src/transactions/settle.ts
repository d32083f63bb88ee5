import { invalid, positiveAmount } from '@payments/kernel'
import { actingFor, locked, requireSecondOperator, settleContradictions, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { assetIn } from '../currencies.ts'
import { SwapEntity, type SwapRow, SwapTransactionEntity, swapResource } from '../entity.ts'
import { errors } from '../errors.ts'
import type { Settlement } from '../schemas.ts'
import { heldAmount } from '../swaps/changes.ts'
import { pollNow } from '../swaps/schedule.ts'
import { findAnywhere } from '../swaps/service.ts'
import { complete, fail, openTransaction, returned } from './transactions.ts'

/** A transaction that was signed this long ago cannot be accepted any more: its blockhash lives for about 90 s. */
const EXPIRED_MS = 300_000

/**
 * Ends a swap, or sends back what is left of it, as an operator knows that it happened on the chain: with the status, the events and
 * the entries of a transaction that this service had sent. Its own open transaction must have expired.
 * @throws swap_not_found 404, swap_nothing_to_settle 409, swap_transaction_open 409, validation_failed 422, second_operator_required 403
 */
export async function settle(
  unit: UnitOfWork,
  { swapId, outcome, amount, txHash }: z.output<typeof Settlement>,
): Promise<{ before: SwapRow; swap: SwapRow }> {
  const found = await findAnywhere(unit, swapId)
  const own = actingFor(unit, found)
  const before = await locked(own, swapResource, found.id, errors.swap_not_found)
  const held = heldAmount(before)
  if (outcome === 'completed' ? before.status !== 'swapping' : held <= 0n) throw errors.swap_nothing_to_settle()
  const open = await openTransaction(own, before.id)
  if (open && open.createdAt.getTime() > Date.now() - EXPIRED_MS) throw errors.swap_transaction_open()
  const given =
    amount === undefined
      ? undefined
      : positiveAmount(amount, assetIn(outcome === 'completed' ? before.toCurrency : before.fromCurrency))
  if (outcome === 'completed' && given === undefined)
    throw invalid({ amount: 'Required: what the destination received' })
  if (outcome === 'returned' && given !== undefined && given > held)
    throw invalid({ amount: 'Must be at most what is held for the swap' })
  await requireSecondOperator(
    own,
    assetIn(before.fromCurrency),
    outcome === 'completed' ? before.amount : (given ?? held),
  )

  if (open) await own.em.nativeUpdate(SwapTransactionEntity, { signature: open.signature }, { outcome: 'dropped' })
  await own.em.upsert(
    SwapTransactionEntity,
    {
      ...{ signature: txHash, swapId: before.id, organisationId: before.organisationId },
      ...{ environment: before.environment, kind: outcome === 'completed' ? 'swap' : 'refund' },
      ...{ amount: outcome === 'completed' ? before.amount : (given ?? held), payload: '' },
      ...{ createsAccount: false, costLamports: 0n, outcome: 'finalized', createdAt: new Date() },
    },
    { onConflictFields: ['organisationId', 'environment', 'signature'], onConflictAction: 'ignore' },
  )
  let swap = before
  if (outcome === 'completed') {
    const money = { signature: txHash, amount: before.amount }
    swap = await complete(own, before, money, { receivedAmount: given ?? 0n, fees: 0n })
  } else {
    if (before.status === 'swapping') swap = await fail(own, before.id, 'swap_failed')
    swap = await returned(own, swap, { signature: txHash, amount: given ?? held })
  }
  await own.em.nativeUpdate(SwapEntity, { id: before.id }, { unexplainedAmount: null, otherHoldings: null })
  await pollNow(own, before.id, true)
  settleContradictions(own, before)
  return { before, swap }
}
