import { assets, toMinor } from '@payments/kernel'
import { lockName, sqlOf, type UnitOfWork } from '@payments/platform'
import type { SwapRow } from '../entity.ts'
import type { PaidTransaction } from '../provider/provider.ts'
import { swapsSettings } from '../provider/settings.ts'

/**
 * May the fee payer pay for this transaction? Refunds, and swaps that create the token account of their destination, share what an organisation
 * may cost in a UTC day: the owner of such an account can close it and keep the rent. Those of one organisation wait for each other, so that
 * together they stay below it. The fee of a swap whose destination has an account is no part of it.
 */
export async function isAffordable(
  unit: UnitOfWork,
  { organisationId, environment }: SwapRow,
  kind: 'swap' | 'refund',
  { costLamports: cost, createsAccount }: PaidTransaction,
): Promise<boolean> {
  if (cost === 0n || (kind === 'swap' && !createsAccount)) return true
  const limit = toMinor(swapsSettings.from(unit.runtime.settings).SWAP_REFUND_SOL_PER_DAY, assets.SOL)
  const db = sqlOf(unit.em)
  // A statement of its own: the sum must see what those that were waited for have committed.
  await lockName(db, `refunds ${organisationId}${environment}`)
  const { rows } = await db.query<{ spent: string }>(
    `select coalesce(sum(cost_lamports), 0)::text as spent from swap_transactions
      where organisation_id = $1 and environment = $2 and (kind = 'refund' or creates_account) and cost_lamports > 0
        and created_at >= date_trunc('day', now(), 'UTC')`,
    [organisationId, environment],
  )
  return BigInt(rows[0]?.spent ?? 0) + cost <= limit
}
