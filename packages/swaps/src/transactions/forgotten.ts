import { sqlOf, type UnitOfWork } from '@payments/platform'
import { type SwapRow, SwapTransactionEntity } from '../entity.ts'
import type { ChainWithdrawal } from '../provider/provider.ts'
import { heldAmount } from '../swaps/changes.ts'
import { complete, expire, fail, returned } from './transactions.ts'

// A database that was restored to an earlier point has forgotten transactions that were sent since. The chain has not: what left an address by a
// transaction that is not stored, and reached an address of its swap, was signed for this swap, since nobody else has the key.

/** Those that this database does not know: neither stored before they were sent, nor named by an operator. */
async function forgotten(
  unit: UnitOfWork,
  { id, swapTxHash, refundTxHash }: SwapRow,
  withdrawals: readonly ChainWithdrawal[],
): Promise<readonly ChainWithdrawal[]> {
  if (withdrawals.length === 0) return []
  const { rows } = await sqlOf(unit.em).query<{ signature: string }>(
    `select signature from swap_transactions where signature = any ($1) and swap_id = $2
     union all select signature from swap_upkeep where signature = any ($1)`,
    [withdrawals.map(({ signature }) => signature), id],
  )
  const known = new Set([swapTxHash, refundTxHash, ...rows.map(({ signature }) => signature)])
  return withdrawals.filter(({ signature }) => !known.has(signature))
}

/**
 * Applies what left the address of a locked swap by transactions that the database has forgotten, in the transaction that records how far the
 * history was read: as if they had been stored. What fits neither the swap nor a refund of it changes nothing; then the address holds less than
 * the journal says, which operators see.
 */
export async function applyForgotten(
  unit: UnitOfWork,
  swap: SwapRow,
  withdrawals: readonly ChainWithdrawal[],
): Promise<SwapRow> {
  let row = swap
  for (const withdrawal of await forgotten(unit, swap, withdrawals)) {
    const { kind, amount, receivedAmount } = withdrawal
    if (kind === 'swap' && row.status === 'swapping' && amount === row.amount) {
      store(unit, row, withdrawal, kind)
      row = await complete(unit, row, withdrawal, { receivedAmount, fees: 0n })
    } else if (kind === 'refund' && amount <= heldAmount(row)) {
      store(unit, row, withdrawal, kind)
      // Why it had ended is forgotten.
      if (row.status === 'swapping') row = await fail(unit, row.id, 'swap_failed')
      else if (row.status === 'awaiting_deposit') row = await expire(unit, row.id)
      row = await returned(unit, row, withdrawal)
    } else continue
    unit.log.warn({ swap: row.id, signature: withdrawal.signature, kind }, 'forgotten transaction applied')
  }
  return row
}

const store = (
  unit: UnitOfWork,
  { id, organisationId, environment }: SwapRow,
  { signature, amount }: ChainWithdrawal,
  kind: 'swap' | 'refund',
): void =>
  unit.insert(SwapTransactionEntity, {
    ...{ signature, swapId: id, organisationId, environment, kind, amount },
    ...{ payload: '', createsAccount: false, costLamports: 0n, outcome: 'finalized', createdAt: new Date() },
  })
