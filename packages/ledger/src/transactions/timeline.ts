import { type AssetSymbol, assets, toDecimal } from '@payments/kernel'
import type { TimelineSource } from '@payments/platform'

interface Row {
  id: string
  created_at: string
  source_id: string
  step: string
  memo: string | null
  amount: string
  asset: AssetSymbol
  purpose: string
  party: string
}

/** The postings of the journal for an object; `amount` of the details in minor units. Only operators see whose account a posting is on, and the memo. */
export const postingTimeline: TimelineSource = async (
  db,
  { organisationId, environment, ids, limit, forOperators },
) => {
  const from = `from ledger_entries e
      join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
      join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
      where e.source_id = any ($1::uuid[]) and e.organisation_id = $2 and e.environment = $3`
  const values = [ids, organisationId, environment]
  const { rows } = await db.query<Row>(
    `select e.id, e.created_at, e.source_id, e.step, e.memo, p.amount::text as amount, p.asset, a.purpose, a.party
       ${from} order by e.created_at desc, p.seq desc limit $4`,
    [...values, limit],
  )
  const { rows: counted } = await db.query<{ total: number }>(`select count(*)::int as total ${from}`, values)
  const entries = rows.map(({ step, amount, asset, purpose, party, memo, ...row }) => ({
    kind: 'posting' as const,
    at: new Date(row.created_at),
    id: row.id,
    resourceId: row.source_id,
    summary: `${step}: ${toDecimal(BigInt(amount), assets[asset])} ${asset} on ${purpose}`,
    details: { step, amount, asset, purpose, ...(forOperators ? { party, memo } : {}) },
  }))
  return { entries, total: counted[0]?.total ?? 0 }
}
