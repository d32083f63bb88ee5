import { type Actor, newId, system } from '@payments/kernel'
import { accountId } from '@payments/ledger'
import { foundOrganisation, median, percentile } from '@payments/stand'
import { Client, Pool } from 'pg'
import { alternate, type Stand, withStand } from './stand.ts'

const RECORDS = Math.max(10_000, Math.round(1_000_000 * Number(process.env.BENCH_SCALE ?? 1)))
const BATCH = 5000
const WRITERS = 4
const REPEATS = 21
const HOT_WRITERS = 16
const CUSTOMERS = 100
/** Milliseconds that a report may take. */
const SLOW_MS = 50
/** The newest day; the records are of the two years before. */
const LAST = '2026-06-30'
const DAYS = 732

/** Everything that a table of transactions without sums has: the same checks, keys, indexes and counted total. */
const FLOOR = [
  'create table floor_transactions (like transactions including all)',
  'alter table floor_transactions add foreign key (organisation_id) references organisations',
  `create trigger floor_transactions_counted after insert on floor_transactions
     referencing new table as changed for each statement execute function count_transactions_insert()`,
]

/**
 * What the reports cost with a million transactions and journal entries of one organisation in two years, all kinds, two assets and three
 * statuses on each day, written from the oldest on by several writers at once; and what the sums cost those who write transactions of one day.
 */
export const benchReports = (print: (line: string) => void): Promise<void> => withStand(FLOOR, print, run)

async function run(stand: Stand): Promise<void> {
  const organisationId = await foundOrganisation(stand.runtime)
  await costOfWriting(stand, organisationId)
  const owner = new Client({ connectionString: stand.ownerUrl })
  await owner.connect()
  try {
    const customers = await fill(stand, organisationId)
    await owner.query('vacuum analyze')
    // What filling left to write is not what a report costs.
    await owner.query('checkpoint')
    const { rows } = await owner.query(`select (select count(*)::int from transactions) as transactions,
      (select count(*)::int from transaction_days) as days, (select count(*)::int from balance_days) as balances,
      (select count(*)::int from settlement_days) as settlements`)
    stand.print(`rows: ${JSON.stringify(rows[0])}`)
    await costOfReading(stand, system(organisationId, 'test'), customers[0] ?? '')
    const counting = await times(() =>
      owner.query(
        `select kind, status, substring(amount from ' (.*)$'), count(*), sum(split_part(amount, ' ', 1)::numeric) from transactions
          where organisation_id = $1 and environment = 'test' and created_at > $2::date - 366 group by 1, 2, 3`,
        [organisationId, LAST],
      ),
    )
    stand.print(`a year counted over the list instead: ${median(counting).toFixed(1)} ms`)
  } finally {
    await owner.end()
  }
}

async function costOfReading({ process, print }: Stand, actor: Actor, customerId: string): Promise<void> {
  const { reports } = process.createCaller(actor)
  const [month, year] = [
    { from: '2026-06-01', to: LAST },
    { from: '2025-06-30', to: LAST },
  ] as const
  const work: Record<string, () => Promise<unknown>> = {
    'summary of 30 days': () => reports.summary(month),
    'summary of 366 days': () => reports.summary(year),
    'daily of 30 days': () => reports.daily(month),
    'daily of 366 days': () => reports.daily(year),
    'statement of a month': () => reports.statement({ month: '2026-06' }),
    "statement of a customer's month": () => reports.statement({ month: '2026-06', customerId }),
  }
  for (const [name, read] of Object.entries(work)) {
    const all = await times(read)
    const slow = median(all) > SLOW_MS ? `   more than ${SLOW_MS} ms` : ''
    print(`${name.padEnd(32)} median ${median(all).toFixed(1)} ms, 95 % ${percentile(all, 0.95).toFixed(1)} ms${slow}`)
  }
}

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

async function times(run: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = []
  for (let repeat = 0; repeat < REPEATS + 2; repeat++) {
    const began = performance.now()
    await run()
    if (repeat >= 2) all.push(performance.now() - began)
  }
  return all
}

/** Writers who all change the same sums. */
async function costOfWriting(stand: Stand, organisationId: string): Promise<void> {
  const pool = new Pool({ connectionString: stand.ownerUrl, max: HOT_WRITERS })
  const insert = (table: string) => async () => {
    await pool.query({
      name: table,
      text: `insert into ${table} (id, organisation_id, environment, kind, status, destination, amount, receipt, created_at, updated_at)
             values ($1, $2, 'live', 'swap', 'completed', '', '12.5 USDC', '{}', now(), now())`,
      values: [newId(), organisationId],
    })
  }
  try {
    const name = `transactions per second, ${HOT_WRITERS} writers, one kind, asset, status and day`
    await alternate(stand, name, HOT_WRITERS, { ledger: insert('transactions'), raw: insert('floor_transactions') })
  } finally {
    await pool.end()
  }
}

/** Fills list and journal through their triggers, from several connections. */
async function fill({ ownerUrl, print }: Stand, organisationId: string): Promise<string[]> {
  const pool = new Pool({ connectionString: ownerUrl, max: WRITERS })
  const customers = Array.from({ length: CUSTOMERS }, () => newId())
  await pool.query(
    `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
     select id, $1, 'test', 'Ada', id || '@example.com', '{}', '{"cngn": {"status": "enabled", "failureReason": null}}', now(), now() from unnest($2::uuid[]) as c (id)`,
    [organisationId, customers],
  )
  const idOf = (purpose: 'external' | 'available', customerId: string | null) =>
    accountId({ organisationId, environment: 'test' }, { purpose, asset: 'cNGN', customerId })
  const external = idOf('external', null)
  const accounts = customers.map((id) => idOf('available', id))
  await pool.query(
    `insert into ledger_accounts (id, organisation_id, environment, customer_id, asset, purpose, party)
     select a.id, $1, 'test', a.customer_id, 'cNGN', a.purpose, ''
       from unnest($2::uuid[], $3::uuid[], $4::text[]) as a (id, customer_id, purpose)`,
    [organisationId, [external, ...accounts], [null, ...customers], ['external', ...accounts.map(() => 'available')]],
  )
  const batches = Math.ceil(RECORDS / BATCH)
  let left = batches
  const write = async () => {
    const newest = dayBefore(LAST, Math.floor((--left * DAYS) / batches))
    await pool.query(TRANSACTIONS, [organisationId, newest, BATCH])
    await pool.query(ENTRIES, [organisationId, newest, BATCH, external, accounts])
  }
  const began = performance.now()
  await write()
  // As autovacuum does within a minute. Without statistics every index that begins with the tenant looks the same to the planner, and
  // a connection that took the wrong one for a foreign key would read all entries for each posting.
  await pool.query('analyze')
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (left > 0) await write()
    }),
  )
  print(`filled in ${Math.round((performance.now() - began) / 1000)} s`)
  await pool.end()
  return customers
}

/** SQL: noon of a random day of a batch, whose newest day is `$2`. */
const TIME = `$2::date - random(0, ${Math.ceil((DAYS * BATCH) / RECORDS) - 1}) + time '12:00'`

const TRANSACTIONS = `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, receipt, succeeded_at, created_at, updated_at)
  select uuidv7(), $1, 'test', k.kind, made.status, 'Base USDC',
         random(1, 1000000) || '.' || random(1, 999999) || case random(0, 1) when 0 then ' USDC' else ' cNGN' end, '{}',
         case when made.status = k.good then made.at + random(1, 10000) * interval '1 second' end, made.at, now()
    from generate_series(1, $3::int) n
    join (values (0, 'payment_route', 'completed', 'pending'), (1, 'swap', 'completed', 'swapping'), (2, 'collection', 'paid', 'processing'),
                 (3, 'offramp', 'delivered', 'processing'), (4, 'onramp', 'delivered', 'processing'), (5, 'cngn_convert', 'completed', 'processing'),
                 (6, 'cngn_withdrawal', 'completed', 'processing'), (7, 'cngn_payout', 'completed', 'processing'),
                 (8, 'cngn_payin', 'completed', 'processing'), (9, 'cngn_deposit', 'completed', 'processing')) k (number, kind, good, open)
      on k.number = n % 10
    cross join lateral (values (case random(0, 2) + 0 * n when 0 then k.good when 1 then 'failed' else k.open end, ${TIME})) made (status, at)`

const ENTRIES = `with entries as (
    insert into ledger_entries (id, organisation_id, environment, source_type, source_id, step, digest, created_at)
    select uuidv7(), $1, 'test', case n % 3 when 0 then 'cngn_payin' when 1 then 'cngn_deposit' else 'cngn_convert' end, gen_random_uuid(),
           'credited', repeat('0', 64), ${TIME}
      from generate_series(1, $3::int) n
    returning id
  ), amounts as materialized (
    select id, random(1, 1000000) as amount, ($5::uuid[])[random(1, cardinality($5::uuid[]))] as account from entries
  )
  insert into ledger_postings (organisation_id, environment, entry_id, account_id, asset, amount)
  select $1, 'test', a.id, p.account, 'cNGN', p.amount from amounts a
   cross join lateral (values ($4::uuid, -a.amount), (a.account, a.amount)) p (account, amount)`
