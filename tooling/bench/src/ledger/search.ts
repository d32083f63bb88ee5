import { newId, system } from '@payments/kernel'
import { foundOrganisation, median, percentile } from '@payments/stand'
import { Client } from 'pg'
import { type Stand, withStand } from './stand.ts'

const RECORDS = Math.max(10_000, Math.round(1_000_000 * Number(process.env.BENCH_SCALE ?? 1)))
const BATCH = 50_000
const REPEATS = 11
const DAYS = 730
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

/** What searches of the list cost with a million transactions of one organisation in two years, of which few are rare. */
export const benchSearch = (print: (line: string) => void): Promise<void> => withStand([], print, run)

/** One in 20 000 is an offramp that failed; one in three has its address as destination; one in ten thousand is a customer's. */
const TRANSACTIONS = `insert into transactions (id, organisation_id, environment, kind, status, customer_id, destination, amount, receipt, created_at, updated_at)
  select uuidv7(), $1, 'test', case when n % 20000 = 0 then 'offramp' when n % 2 = 0 then 'collection' else 'payment_route' end,
         case when n % 20000 = 0 then 'failed' when n % 50 = 0 then 'processing' when n % 2 = 0 then 'paid' else 'completed' end,
         case when n % 10000 = 7 then $3::uuid end, 'Base USDC ' || case when n % 3 = 0 then '${WALLET}' else 'wallet' || n end,
         random(1, 1000000) || '.' || random(1, 999999) || ' USDC',
         jsonb_build_object('type', 'payment_route_deposit', 'routeName', 'Deposits of an order', 'depositTxHash', '0x' || repeat('9c2d0e5a', 8),
           'origin', jsonb_build_object('network', case when n % 1000 = 0 then 'solana' else 'base' end, 'symbol', 'USDC', 'amount', '12.5', 'amountUsd', '12.5'),
           'destination', jsonb_build_object('network', 'base', 'symbol', 'USDC', 'address', '${WALLET}', 'amount', '12.5', 'amountUsd', '12.5')),
         timestamptz '2026-06-30' - n * interval '${DAYS} days' / ${RECORDS}, now()
    from generate_series($2::int, $2::int + ${BATCH} - 1) n`

async function run({ process: { createCaller }, runtime, ownerUrl, print }: Stand): Promise<void> {
  const organisationId = await foundOrganisation(runtime)
  const customerId = newId()
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    await owner.query(
      `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
       values ($1, $2, 'test', 'Ada', 'ada@example.com', '{}', '{"cngn": {"status": "enabled", "failureReason": null}}', now(), now())`,
      [customerId, organisationId],
    )
    for (let first = 0; first < RECORDS; first += BATCH)
      await owner.query(TRANSACTIONS, [organisationId, first, customerId])
    await owner.query('vacuum analyze')
    const { transactions } = createCaller(system(organisationId, 'test'))
    const { rows } = await owner.query<{ id: string }>(
      'select id from transactions where organisation_id = $1 order by created_at limit 1',
      [organisationId],
    )
    const searches: Record<string, Parameters<typeof transactions.search>[0]> = {
      'no filter': {},
      'one kind': { kinds: ['collection'] },
      'a rare kind and status': { kinds: ['offramp'], statuses: ['failed'] },
      'several kinds and statuses': { kinds: ['collection', 'offramp', 'swap'], statuses: ['failed', 'processing'] },
      'a status of 2 %': { statuses: ['processing'] },
      'a month': { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
      'amounts of a month': { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', amountFrom: '999000' },
      'amounts, all': { amountFrom: '999999' },
      'a network, all': { networks: ['solana'] },
      'a kind and a network, all': { kinds: ['collection'], networks: ['solana'] },
      'a customer': { customerId },
      'an email address': { text: 'ada@example.com' },
      'an id': { text: rows[0]?.id ?? '' },
      'a hash that nobody has': { text: `0x${'0'.repeat(64)}` },
      'an address of a third': { text: WALLET },
      'amounts, nearly all': { amountFrom: '2' },
    }
    for (const [name, input] of Object.entries(searches)) {
      const all: number[] = []
      let total = 0
      for (let repeat = 0; repeat <= REPEATS; repeat++) {
        const began = performance.now()
        total = (await transactions.search(input)).total
        if (repeat > 0) all.push(performance.now() - began)
      }
      print(
        `${name.padEnd(28)} ${String(total).padStart(8)} found, median ${median(all).toFixed(1)} ms, 95 % ${percentile(all, 0.95).toFixed(1)} ms`,
      )
    }
  } finally {
    await owner.end()
  }
}
