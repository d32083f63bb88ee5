import { invalid, positiveAmount } from '@payments/kernel'
import {
  actingFor,
  locked,
  lockName,
  requireSecondOperator,
  settleContradictions,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
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
  const canEnd =
    outcome === 'completed' ? before.status === 'swapping' : before.status !== 'awaiting_deposit' && held > 0n
  if (!canEnd) throw errors.swap_nothing_to_settle()
  if (await isCounted(own, before, txHash)) throw errors.swap_evidence_used()
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
    { onConflictFields: ['organisationId', 'environment', 'signature'], onConflictMergeFields: ['outcome'] },
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

/** Does a swap of the organisation count this transaction already? It moved its money once. Until the end of the unit no other can begin to. */
async function isCounted(
  unit: UnitOfWork,
  { id, organisationId, environment }: SwapRow,
  txHash: string,
): Promise<boolean> {
  await lockName(sqlOf(unit.em), `swap evidence ${organisationId} ${environment} ${txHash}`)
  const { rows } = await sqlOf(unit.em).query(
    `select 1 from swap_transactions where organisation_id = $1 and environment = $2 and signature = $3 and (outcome = 'finalized' or swap_id <> $4)`,
    [organisationId, environment, txHash, id],
  )
  return rows.length > 0
}
