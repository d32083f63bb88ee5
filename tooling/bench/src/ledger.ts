/**
 * The ledger against its minimum cost: hand-written SQL on bare copies of the tables (same columns, indexes,
 * checks and foreign keys; no triggers, no digest, no queue for the seals), in a transaction of one statement, prepared.
 * Contestants alternate in one run; the result is the ratio.
 */

import { newId, system } from '@payments/kernel'
import { type AccountKey, accountId, type Draft, post } from '@payments/ledger'
import { bookOf, foundOrganisation, median, transfer } from '@payments/stand'
import { Client, Pool } from 'pg'
import { alternate, type Stand, withStand } from './servers/ledger-stand.ts'

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
        await book.do((unit) => post(unit, transfer(from, to, 1n)))
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

/** How much longer `GET /transactions` takes with 1,000,000 entries than with 1,000 (p50, warm). Target: at most 1.2. */
async function listedTransactions(stand: Stand): Promise<number> {
  const small = await listOf(stand, 1000)
  const large = await listOf(stand, 1_000_000)
  const timesOf = { small: [] as number[], large: [] as number[] }
  for (let turn = 0; turn < 400; turn++) {
    for (const [name, list] of [['small', small] as const, ['large', large] as const]) {
      const started = performance.now()
      await list()
      if (turn >= 50) timesOf[name].push(performance.now() - started)
    }
  }
  const [few, many] = [median(timesOf.small), median(timesOf.large)]
  const ratio = many / few
  stand.print(
    `GET /transactions p50: ${few.toFixed(2)} ms with 1,000, ${many.toFixed(2)} ms with 1,000,000: ${ratio.toFixed(2)}`,
  )
  return ratio
}

/** An organisation with the given number of transactions of 100 customers, and the procedure that lists them. */
async function listOf({ runtime, process, ownerUrl }: Stand, entries: number): Promise<() => Promise<void>> {
  const organisationId = await foundOrganisation(runtime)
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query(
    `insert into customers (id, organisation_id, environment, name, email, metadata, cngn_status, created_at, updated_at)
     select gen_random_uuid(), $1, 'test', 'Customer ' || n, n || '@example.com', '{}', 'not_enabled', now(), now() from generate_series(1, 100) n`,
    [organisationId],
  )
  await owner.query(
    `insert into transactions (id, organisation_id, environment, kind, customer_id, status, destination, amount, amount_usd, receipt, created_at, updated_at)
     select gen_random_uuid(), $1, 'test', 'payment_route', c.ids[1 + n % 100], 'completed', 'Base USDC 0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
            '12.5 USDC', '12.5', $3, now() - make_interval(secs => n), now()
       from generate_series(1, $2::int) n, (select array_agg(id) as ids from customers where organisation_id = $1) c`,
    [organisationId, entries, RECEIPT],
  )
  await owner.query('vacuum (analyze) transactions')
  await owner.end()
  const caller = process.createCaller(system(organisationId, 'test'))
  return async () => {
    const { total, transactions } = await caller.transactions.list({})
    if (total !== entries || transactions.length !== 200) throw new Error(`Listed ${transactions.length} of ${total}`)
  }
}

const leg = { network: 'ethereum', symbol: 'USDC', amount: '12.5', amountUsd: '12.5' }
const RECEIPT = JSON.stringify({
  type: 'payment_route_deposit',
  depositId: newId(),
  relayRequestId: `0x${'a'.repeat(64)}`,
  routeId: newId(),
  routeName: 'Treasury',
  status: 'completed',
  origin: leg,
  destination: { ...leg, network: 'base', address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
  depositTxHash: `0x${'b'.repeat(64)}`,
})

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
      listed: (await listedTransactions(stand)) <= 1.2,
    }
    return Object.entries(met).flatMap(([name, good]) => (good ? [] : [name]))
  })
}

if (import.meta.main) {
  const missed = await benchLedger((line) => void process.stdout.write(`${line}\n`))
  process.stdout.write(missed.length === 0 ? 'All targets met\n' : `Missed: ${missed.join(', ')}\n`)
  process.exitCode = missed.length === 0 ? 0 : 1
}
