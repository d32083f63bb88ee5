import type { SqlExecutor } from '@payments/platform'
import { SANDBOX_STATUS } from '../src/provider/sandbox-status.ts'

/** One snapshot of an organisation's cNGN: minor units. */
export interface Snapshot {
  /** The lowest balance of an account that must not be negative. */
  readonly lowest: bigint
  /** What the journal holds: available, reserved and in suspense. */
  readonly journal: bigint
  /** Of orders that the provider has and whose objects have not ended. */
  readonly leaving: bigint
  /** What has settled at the provider and is not in the journal yet. */
  readonly arriving: bigint
  /** The provider's books. */
  readonly provider: bigint
}

/** Reads journal and provider in one statement, so in one snapshot of the database. */
export async function snapshot(db: SqlExecutor, organisationId: string): Promise<Snapshot> {
  const { rows } = await db.query<Record<keyof Snapshot, string>>(
    `with movements as (select *, ${SANDBOX_STATUS} as status from sandbox_cngn_transactions where account = $1::text),
          held as (select purpose, balance from ledger_accounts
                    where organisation_id = $1::uuid and environment = 'test' and asset = 'cNGN'
                      and purpose in ('available', 'reserved', 'suspense'))
     select (select coalesce(min(balance), 0)::text from held where purpose <> 'suspense') as lowest,
            (select coalesce(sum(balance), 0)::text from held) as journal,
            (select coalesce(sum(m.amount), 0)::text from movements m join cngn_transfers t on t.id::text = m.reference
              where m.channel in ('payout', 'withdrawal') and m.status <> 'failed' and t.status not in ('completed', 'failed')) as leaving,
            (select coalesce(sum(coalesce(m.converted_amount, m.amount - m.fee)), 0)::text from movements m
              where m.channel in ('bank_in', 'crypto_in') and m.status = 'completed'
                and not exists (select from cngn_receipts r where r.environment = 'test' and r.account = m.account
                                  and r.reference = m.reference and r.status in ('credited', 'suspense', 'assigned'))) as arriving,
            (select coalesce(sum(case
                 when channel in ('payout', 'withdrawal') then case when status = 'failed' then 0 else -amount end
                 when status <> 'completed' then 0 else coalesce(converted_amount, amount - fee) end), 0)::text from movements) as provider`,
    [organisationId],
  )
  const [row] = rows
  if (!row) throw new Error('No snapshot')
  const { lowest, journal, leaving, arriving, provider } = row
  return {
    lowest: BigInt(lowest),
    journal: BigInt(journal),
    leaving: BigInt(leaving),
    arriving: BigInt(arriving),
    provider: BigInt(provider),
  }
}
