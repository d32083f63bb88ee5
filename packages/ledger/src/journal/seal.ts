import { atOnceIf, type Runtime, type Task } from '@payments/platform'

const BATCH = 2000

/** SQL: the line of an entry. A seal's hash covers the previous hash and a line for each entry, in the order of the ids. */
export const LINE = `e.id || ' ' || (extract(epoch from e.created_at) * 1000)::bigint || ' ' || e.digest`

/** A row is found by its place, `ctid`, which is unique in its partition alone where the table has several. */
const SEAL = `with places as materialized (
    select tableoid as part, ctid as place from ledger_unsealed limit $1 for update skip locked
  ), taken as (
    delete from ledger_unsealed where ctid = any (array(select place from places)) and (tableoid, ctid) in (select part, place from places)
    returning organisation_id, environment, entry_id
  ), batches as (
    select e.organisation_id, e.environment, array_agg(e.id order by e.id) as ids,
           string_agg(E'\\n' || ${LINE}, '' order by e.id) as lines
      from taken t join ledger_entries e on (e.organisation_id, e.environment, e.id) = (t.organisation_id, t.environment, t.entry_id)
     group by 1, 2
  ), sealed as (
    insert into ledger_seals (organisation_id, environment, number, previous_hash, hash, entry_ids)
    select b.organisation_id, b.environment, coalesce(l.number, 0) + 1, coalesce(l.hash, ''),
           encode(sha256(convert_to(coalesce(l.hash, '') || b.lines, 'UTF8')), 'hex'), b.ids
      from batches b
      left join lateral (
        select s.number, s.hash from ledger_seals s
         where s.organisation_id = b.organisation_id and s.environment = b.environment order by s.number desc limit 1) l on true
    returning organisation_id, environment, number, hash
  )
  select s.*, (select count(*)::int from taken) as taken from sealed s`

interface Sealed {
  organisation_id: string
  environment: string
  number: string
  hash: string
  taken: number
}

/**
 * Seals one batch of committed entries; each chain gets at most one seal. The newest hash of each chain is logged: compared
 * with a log that is stored elsewhere, even a chain that a superuser has rewritten is detected.
 * @returns true when more entries may be queued.
 */
export async function seal(runtime: Runtime, size = BATCH): Promise<boolean> {
  const { rows } = await runtime.pool.query<Sealed>(SEAL, [size])
  for (const { organisation_id: organisationId, environment, number, hash } of rows) {
    runtime.log.info({ organisationId, environment, seal: Number(number), hash }, 'ledger sealed')
  }
  return rows[0]?.taken === size
}

/** Runs each second while there is something to seal. Writers neither wait for it nor trigger it, so that batches are large under load. */
export const sealTask: Task = {
  name: 'ledger.seal',
  because: 'An entry is sealed a second after it was posted, thousands in a batch',
  due: () => atOnceIf('select from ledger_unsealed'),
  runsIn: 'one-process',
  run: (runtime) => seal(runtime),
}
