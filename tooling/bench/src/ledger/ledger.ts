/**
 * The ledger against its minimum cost: hand-written SQL on bare copies of the tables (same columns, indexes,
 * checks and foreign keys; no triggers, no digest, no queue for the seals), in a transaction of one statement, prepared.
 * Contestants alternate in one run; the result is the ratio.
 */

import { newId } from '@payments/kernel'
import { type AccountKey, accountId, type Draft, post, postWithCommit } from '@payments/ledger'
import { bookOf, foundOrganisation, transfer } from '@payments/stand'
import { Pool } from 'pg'
import { alternate, type Stand, withStand } from './stand.ts'

const ACCOUNTS = 200
const WRITERS = 16
const HOT_WRITERS = 64

const clearing = (party: number): AccountKey => ({ purpose: 'clearing', asset: 'USDC', party: `p${party}` })
const hot: AccountKey = { purpose: 'available', asset: 'USDC' }
const between = (n: number): [AccountKey, AccountKey] => {
  const from = Math.floor(Math.random() * n)
  return [clearing(from), clearing((from + 1 + Math.floor(Math.random() * (n - 1))) % n)]
}

/** Entries per second among many accounts, as a share of raw SQL. Target: at least 0.7. */
async function postedEntries(stand: Stand): Promise<number> {
  return rates('posted entries per second, 16 writers, 200 accounts', stand, WRITERS, () => between(ACCOUNTS))
}

/** Entries per second of 64 writers that all pay into one account, as a share of raw SQL. Target: at least 0.7. */
async function hotAccount(stand: Stand): Promise<number> {
  let writer = 0
  return rates('hot account, 64 writers', stand, HOT_WRITERS, () => [clearing(writer++ % HOT_WRITERS), hot])
}

async function rates(
  name: string,
  stand: Stand,
  writers: number,
  pair: () => [AccountKey, AccountKey],
): Promise<number> {
  const organisationId = await foundOrganisation(stand.runtime)
  const book = bookOf(stand.runtime, organisationId)
  const tenant = { organisationId, environment: 'test' as const }
  const keys = [hot, ...Array.from({ length: ACCOUNTS }, (_, party) => clearing(party))]
  const pool = new Pool({ connectionString: stand.serviceUrl, max: writers })
  await pool.query(
    `insert into floor_accounts (id, organisation_id, environment, asset, purpose, party)
     select id, $1, 'test', 'USDC', purpose, party from unnest($2::uuid[], $3::text[], $4::text[]) as k (id, purpose, party)`,
    [
      organisationId,
      keys.map((key) => accountId(tenant, key)),
      keys.map((key) => key.purpose),
      keys.map((key) => key.party ?? ''),
    ],
  )
  // Both sides look up their accounts before the measurement.
  await book.do((unit) =>
    post(
      unit,
      Array.from({ length: ACCOUNTS }, (_, party) => transfer(clearing(party), hot, 1n)),
    ),
  )
  try {
    return await alternate(stand, name, writers, {
      ledger: async () => {
        const [from, to] = pair()
        await book.do((unit) => postWithCommit(unit, transfer(from, to, 1n)))
      },
      raw: async () => {
        const [from, to] = pair()
        await rawEntry(pool, organisationId, accountId(tenant, from), accountId(tenant, to), transfer(from, to, 1n))
      },
    })
  } finally {
    await pool.end()
  }
}

const RAW = `with locked as materialized (
    select id from floor_accounts where organisation_id = $1 and environment = 'test' and id = any ($2) order by id for no key update
  ), entry as (
    insert into floor_entries (id, organisation_id, environment, source_type, source_id, step, digest)
    values ($3, $1, 'test', $4, $5, $6, repeat('0', 64))
  ), postings as (
    insert into floor_postings (organisation_id, environment, entry_id, account_id, asset, amount)
    select $1, 'test', $3, l.id, 'USDC', l.amount from unnest($2::uuid[], $7::numeric[]) as l (id, amount)
  )
  update floor_accounts a set balance = a.balance + l.amount
    from locked join unnest($2::uuid[], $7::numeric[]) as l (id, amount) using (id)
   where a.organisation_id = $1 and a.environment = 'test' and a.id = locked.id`

async function rawEntry(pool: Pool, organisationId: string, from: string, to: string, draft: Draft): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query({
      name: 'entry',
      text: RAW,
      values: [organisationId, [from, to], newId(), draft.source.type, draft.source.id, draft.step, ['-1', '1']],
    })
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** Bare copies of the journal's tables. */
const FLOOR = [
  'create table floor_accounts (like ledger_accounts including all) with (fillfactor = 50)',
  'create table floor_entries (like ledger_entries including all)',
  'create table floor_postings (like ledger_postings including all)',
  'alter table floor_postings add foreign key (organisation_id, environment, entry_id) references floor_entries (organisation_id, environment, id)',
  'alter table floor_postings add foreign key (organisation_id, environment, account_id, asset) references floor_accounts (organisation_id, environment, id, asset)',
  'grant select, insert, update on floor_accounts, floor_entries, floor_postings to payments_service',
]

/**
 * Runs all measurements in sequence.
 * @returns the targets that were missed.
 */
export async function benchLedger(print: (line: string) => void): Promise<string[]> {
  return withStand(FLOOR, print, async (stand) => {
    const met = {
      posted: (await postedEntries(stand)) >= 0.7,
      hot: (await hotAccount(stand)) >= 0.7,
    }
    return Object.entries(met).flatMap(([name, good]) => (good ? [] : [name]))
  })
}

if (import.meta.main) {
  const missed = await benchLedger((line) => void process.stdout.write(`${line}\n`))
  process.stdout.write(missed.length === 0 ? 'All targets met\n' : `Missed: ${missed.join(', ')}\n`)
  process.exitCode = missed.length === 0 ? 0 : 1
}
