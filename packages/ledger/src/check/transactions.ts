import type { Move } from '../entries.ts'
import { at, each, type Place, type Walk } from './walk.ts'

interface Row extends Place {
  kind: string
  status: string
  journal: Move[]
  moves: Move[]
}

// By id alone: the list's key. The place of the batch before carries it.
const BATCH = `select t.organisation_id, t.environment, t.id, t.kind, t.status, t.journal, coalesce(j.moves, '[]') as moves
  from (select * from transactions where id > $3 and ($1::uuid, $2::text) is not null order by id limit $4) t
  cross join lateral (
    select jsonb_agg(jsonb_build_object('step', m.step, 'asset', m.asset, 'amount', m.amount::text)) as moves from (
      select e.step, p.asset, sum(p.amount) filter (where p.amount > 0) as amount
        from ledger_entries e
        join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
       where e.organisation_id = t.organisation_id and e.environment = t.environment and e.source_type = t.kind and e.source_id = t.id
       group by 1, 2) m) j
 order by t.id`

const COUNTS = `with counted as (
    select organisation_id, environment, customer_id, sum(count) as n from transaction_counts group by 1, 2, 3
  ), listed as (
    select t.organisation_id, t.environment, k.customer_id, count(*) as n from transactions t
     cross join lateral (values ('00000000-0000-0000-0000-000000000000'::uuid), (t.customer_id)) k (customer_id)
     where k.customer_id is not null group by 1, 2, 3)
  select organisation_id, environment, customer_id as id, coalesce(c.n, 0)::text as counted, coalesce(l.n, 0)::text as listed
    from counted c full join listed l using (organisation_id, environment, customer_id)
   where c.n is distinct from l.n limit 100`

const inOrder = (moves: readonly Move[]) =>
  moves
    .map(({ step, asset, amount }) => `${step}: ${amount} ${asset}`)
    .sort()
    .join(', ') || 'nothing'

/** Does the journal have exactly what each object of the list report it has, and are the list's totals exact? */
export async function checkTransactions(walk: Walk): Promise<void> {
  await each<Row>(walk, BATCH, (row) => {
    const [said, found] = [inOrder(row.journal), inOrder(row.moves)]
    if (said !== found) {
      walk.find({
        ...at(row),
        message: `${row.kind} ${row.status}: should have moved ${said}; the journal has ${found}`,
      })
    }
  })
  const { rows } = await walk.db.query<Place & { counted: string; listed: string }>(COUNTS)
  for (const row of rows)
    walk.find({ ...at(row), message: `counts ${row.counted} transactions, the list has ${row.listed}` })
}
