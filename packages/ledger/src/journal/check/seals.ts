import { hash } from 'node:crypto'
import { NIL_ID } from '@payments/kernel'
import { LINE } from '../seal.ts'
import type { Walk } from './walk.ts'

interface Row {
  organisation_id: string
  environment: string
  number: string
  previous_hash: string
  hash: string
  sealed: number
  found: number
  lines: string
}

const BATCH = `select s.organisation_id, s.environment, s.number, s.previous_hash, s.hash, cardinality(s.entry_ids) as sealed,
    l.found, coalesce(l.lines, '') as lines
  from (select * from ledger_seals where (organisation_id, environment, number) > ($1, $2, $3)
         order by organisation_id, environment, number limit $4) s
  cross join lateral (
    select count(*)::int as found, string_agg(E'\\n' || ${LINE}, '' order by e.id) as lines from ledger_entries e
     where e.organisation_id = s.organisation_id and e.environment = s.environment and e.id = any (s.entry_ids)) l
 order by s.organisation_id, s.environment, s.number`

/** Every entry is either sealed once or queued. The sums of hashes are equal if the two sets are, and differ otherwise with very high probability. */
const COMPLETE = `select
    (select coalesce(sum(hashtextextended(id::text, 0)), 0) from ledger_entries) =
    (select coalesce(sum(hashtextextended(id::text, 0)), 0) from
      (select unnest(entry_ids) as id from ledger_seals union all select entry_id from ledger_unsealed) members) as complete`

const MISPLACED = `with members as (
    select organisation_id, environment, unnest(entry_ids) as id from ledger_seals
    union all select organisation_id, environment, entry_id from ledger_unsealed)
  select e.organisation_id, e.environment, e.id, count(m.id)::int as times
    from ledger_entries e left join members m on (m.organisation_id, m.environment, m.id) = (e.organisation_id, e.environment, e.id)
   group by 1, 2, 3 having count(m.id) <> 1 limit 100`

/** Seals are fetched in small batches, because each may cover thousands of entries. */
const SEALS = 20

/** Checks that every seal's hash matches the previous seal and its entries, and that every entry is sealed once or queued. */
export async function checkSeals(walk: Walk): Promise<void> {
  let last: Row | undefined
  for (;;) {
    const after = last ? [last.organisation_id, last.environment, last.number] : [NIL_ID, '', 0]
    const { rows } = await walk.db.query<Row>(BATCH, [...after, SEALS])
    for (const row of rows) {
      const next = last?.organisation_id === row.organisation_id && last.environment === row.environment
      const expected = next && last ? { number: BigInt(last.number) + 1n, hash: last.hash } : { number: 1n, hash: '' }
      const report = (text: string) =>
        walk.find({
          organisationId: row.organisation_id,
          environment: row.environment,
          id: row.number,
          message: `seal ${row.number}: ${text}`,
        })
      if (BigInt(row.number) !== expected.number) report(`seal ${expected.number} is missing before it`)
      if (row.previous_hash !== expected.hash) report('does not continue the previous seal')
      if (row.found !== row.sealed) report(`${row.sealed - row.found} of its entries are missing`)
      if (hash('sha256', row.previous_hash + row.lines) !== row.hash) report('its hash does not match its entries')
      last = row
    }
    walk.walked(rows.length)
    if (rows.length < SEALS) break
  }
  const { rows } = await walk.db.query<{ complete: boolean }>(COMPLETE)
  if (rows[0]?.complete) return
  const misplaced = await walk.db.query<{ organisation_id: string; environment: string; id: string; times: number }>(
    MISPLACED,
  )
  for (const { organisation_id: organisationId, environment, id, times } of misplaced.rows) {
    walk.find({
      organisationId,
      environment,
      id,
      message: times === 0 ? 'is neither sealed nor queued' : `is sealed ${times} times`,
    })
  }
}
