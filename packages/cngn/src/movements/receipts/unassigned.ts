import { type Environment, spellingsOf } from '@payments/kernel'
import { type Runtime, sqlOf, type UnitOfWork } from '@payments/platform'
import { type ProviderTransaction, referencesOf } from '../../provider/provider.ts'
import { lockHash, logReceipt, OF_MOVEMENT } from './table.ts'

// Money that arrived and has no object: refunds of converts, reports of it as failed, and what is not booked.

/** What the treasury received in a transaction, minor units of cNGN; null: nothing yet. No other unit of work counts it before the commit. */
export async function arrivedBack(unit: UnitOfWork, txHash: string | null): Promise<bigint | null> {
  if (txHash) await lockHash(unit, txHash)
  const { rows } = await sqlOf(unit.em).query<{ amount: string }>(
    `select (amount - fee)::text as amount from cngn_receipts
      where environment = $1 and targets && $2::text[] and status = 'suspense' and organisation_id is null for update`,
    [unit.actor.environment, spellingsOf(txHash ?? '')],
  )
  // Two amounts of one transaction may be those of two converts: an operator says which is whose.
  const [row, other] = rows
  return row && !other ? BigInt(row.amount) : null
}

/** cNGN of a convert came back in a transaction: the list may have shown it before that was known. */
export async function creditRefund(unit: UnitOfWork, txHash: string, transferId: string): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<{ id: string }>(
    `update cngn_receipts set status = 'credited', transfer_id = $3
      where environment = $1 and targets && $2::text[] and status = 'suspense' and organisation_id is null returning id`,
    [unit.actor.environment, spellingsOf(txHash), transferId],
  )
  for (const { id } of rows) logReceipt(unit, { id, organisationId: null, from: 'suspense', to: 'credited' })
}

/** Money without an object that is reported as failed after it was counted. Returns what it was, the first time. */
export async function noteFailed(
  unit: UnitOfWork,
  account: string,
  tx: ProviderTransaction,
): Promise<string | undefined> {
  const { rows } = await sqlOf(unit.em).query<{ status: string }>(
    `update cngn_receipts set last_status = $4 where ${OF_MOVEMENT} and status not in ('open', 'failed')
        and last_status is distinct from $4 returning status`,
    [unit.actor.environment, account, referencesOf(tx), tx.status],
  )
  return rows[0]?.status
}

/**
 * Of the money that a list shows as arrived: how much has no receipt (minor units of cNGN), and whether there is any of which nobody has
 * said how much it is. What has a receipt is in the books.
 */
export async function unbookedIn(
  { pool }: Runtime,
  environment: Environment,
  account: string,
  movements: readonly ProviderTransaction[],
): Promise<{ readonly listed: bigint; readonly unknown: boolean }> {
  const arrived = movements.filter(({ channel, status }) => channel.endsWith('_in') && status !== 'failed')
  if (arrived.length === 0) return { listed: 0n, unknown: false }
  const { rows } = await pool.query<{ reference: string; alias: string | null }>(
    `select reference, alias from cngn_receipts where ${OF_MOVEMENT}`,
    [environment, account, arrived.flatMap(referencesOf)],
  )
  const known = new Set(rows.flatMap(({ reference, alias }) => [reference, alias]))
  const others = arrived.filter((tx) => !referencesOf(tx).some((reference) => known.has(reference)))
  return {
    listed: others.reduce((sum, { amount, convertedAmount }) => sum + (convertedAmount ?? amount ?? 0n), 0n),
    unknown: others.some(({ amount }) => amount === null),
  }
}
