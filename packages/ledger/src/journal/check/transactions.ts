import type { ObjectBalance } from '@payments/kernel'
import { type ReportedAmount, type ReportedAmounts, reportedAmountsSql } from '@payments/platform'
import { each, locationOf, type RowKey, type Walk } from './walk.ts'

interface Row extends RowKey {
  kind: string
  status: string
  receipt: Record<string, unknown>
  balances: { purpose: string; asset: string; amount: string }[]
  reported: Record<keyof ReportedAmounts, { asset: string; amount: string }> | null
}

// Ordered by id alone, which has an index. $3 is the last id of the previous batch.
const BATCH = `select t.organisation_id, t.environment, t.id, t.kind, t.status, t.receipt, coalesce(j.balances, '[]') as balances,
    ${reportedAmountsSql('t')} as reported
  from (select * from transactions where id > $3 and ($1::uuid, $2::text) is not null order by id limit $4) t
  cross join lateral (
    select jsonb_agg(jsonb_build_object('purpose', b.purpose, 'asset', b.asset, 'amount', b.amount::text)) as balances from (
      select a.purpose, p.asset, sum(p.amount) as amount
        from ledger_entries e
        join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
        join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
       where e.organisation_id = t.organisation_id and e.environment = t.environment and e.source_type = t.kind and e.source_id = t.id
       group by 1, 2) b) j
 order by t.id`

const describeBalances = (balances: readonly ObjectBalance[]) =>
  balances
    .filter(({ amount }) => amount !== 0n)
    .map(({ purpose, asset, amount }) => `${purpose} ${amount} ${asset}`)
    .sort()
    .join(', ') || 'nothing'

const describeAmount = ({ asset, amount }: { asset: string; amount: string | bigint }) => `${amount} ${asset}`

/**
 * Compares the journal with the balances that each transaction's receipt implies, and the receipt with the amounts that the
 * provider reported last.
 */
export async function checkTransactions(walk: Walk): Promise<void> {
  await each<Row>(walk, BATCH, (row) => {
    const declaration = walk.receipts[row.kind]
    if (!declaration) return
    const receipt = declaration.schema.safeParse(row.receipt)
    if (!receipt.success) {
      walk.find({ ...locationOf(row), message: `${row.kind} ${row.status}: the receipt does not fit its schema` })
      return
    }
    const expected = describeBalances(declaration.balances(receipt.data as never))
    const actual = describeBalances(row.balances.map((balance) => ({ ...balance, amount: BigInt(balance.amount) })))
    if (expected !== actual) {
      walk.find({
        ...locationOf(row),
        message: `${row.kind} ${row.status}: the receipt implies ${expected}; the journal has ${actual}`,
      })
    }
    const evidence = declaration.evidence?.(receipt.data as never) ?? {}
    for (const [name, amount] of Object.entries(evidence) as [keyof ReportedAmounts, ReportedAmount | undefined][]) {
      const reported = row.reported?.[name]
      if (!amount || !reported || describeAmount(amount) === describeAmount(reported)) continue
      walk.find({
        ...locationOf(row),
        message: `${row.kind} ${row.status}: the receipt says ${name} ${describeAmount(amount)}; the provider reported ${describeAmount(reported)}`,
      })
    }
  })
}
