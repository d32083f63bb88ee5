import type { Environment } from '@payments/kernel'
import { transactionKinds } from '../../model/kinds.ts'
import { digestOf, type Line } from '../entries.ts'
import { each, locationOf, type RowKey, type Walk } from './walk.ts'

type Lines = [accountId: string, asset: string, amount: string][]

interface Row extends RowKey {
  environment: Environment
  source_type: string
  source_id: string
  step: string
  memo: string | null
  digest: string
  listed: boolean
  reverses_step: string | null
  lines: Lines
  reversed: Lines
}

const linesOf = (
  entry: string,
) => `(select coalesce(json_agg(json_build_array(p.account_id, p.asset, p.amount::text) order by p.account_id), '[]')
  from ledger_postings p where p.organisation_id = ${entry}.organisation_id and p.environment = ${entry}.environment and p.entry_id = ${entry}.id)`

const BATCH = `select e.organisation_id, e.environment, e.id, e.source_type, e.source_id, e.step, e.memo, e.digest,
    exists (select from transactions t where t.id = e.source_id and t.organisation_id = e.organisation_id
              and t.environment = e.environment and t.kind = e.source_type) as listed,
    r.step as reverses_step, ${linesOf('e')} as lines, ${linesOf('r')} as reversed
  from (select * from ledger_entries where (organisation_id, environment, id) > ($1, $2, $3)
         order by organisation_id, environment, id limit $4) e
  left join ledger_entries r on (r.organisation_id, r.environment, r.id) = (e.organisation_id, e.environment, e.reverses)
 order by e.organisation_id, e.environment, e.id`

/**
 * Checks that every entry is balanced and matches its digest, that a reversal is the exact opposite of the entry that it
 * reverses, and that the entry's transaction is listed.
 */
export const checkEntries = (walk: Walk): Promise<void> =>
  each<Row>(walk, BATCH, (row) => {
    const report = (text: string) =>
      walk.find({ ...locationOf(row), message: `${row.source_type} ${row.step}: ${text}` })
    const lines: Line[] = row.lines.map(([accountId, asset, amount]) => ({ accountId, asset, amount: BigInt(amount) }))
    if (lines.length === 0) report('has no postings')
    const sums = new Map<string, bigint>()
    for (const { asset, amount } of lines) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
    for (const [asset, sum] of sums) if (sum !== 0n) report(`${asset} does not sum to zero`)
    const digest = digestOf(
      { organisationId: row.organisation_id, environment: row.environment },
      {
        source: { type: row.source_type, id: row.source_id },
        step: row.step,
        ...(row.memo === null ? {} : { memo: row.memo }),
        ...(row.reverses_step === null ? {} : { reverses: row.reverses_step }),
      },
      lines,
    )
    if (digest !== row.digest) report('does not match its digest')
    if (row.reverses_step !== null) {
      const opposite = row.reversed.map(([account, asset, amount]) => [account, asset, (-BigInt(amount)).toString()])
      if (JSON.stringify(opposite) !== JSON.stringify(row.lines))
        report('is not the opposite of the entry that it reverses')
    }
    if (!row.listed && (transactionKinds as readonly string[]).includes(row.source_type)) {
      report(`its transaction ${row.source_id} is not in the list`)
    }
  })
