import { everyDomain } from '@payments/api'
import { bind, newId, type Port, type Provider } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import type { ProofReport } from '@payments/proof'
import { foundOrganisation } from '@payments/stand'
import { withStand } from './ledger-stand.ts'

/** Addresses of open sessions, all of which are overdue for their poll. `BENCH_ROUTES=2000` is the short form. */
const ROUTES = Number(process.env.BENCH_ROUTES ?? 100_000)
/** Deposits that the provider announces, and how many a second. */
const DEPOSITS = Number(process.env.BENCH_DEPOSITS ?? 300)
const PER_SECOND = 10
/** What a plain key of the provider allows, and how long it takes to answer. */
const CALLS_PER_MINUTE = 150
const ANSWER_MS = 150
/** A callback is applied within this time, 99 times in 100. */
const WITHIN_SECONDS = 2

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const routes = everyDomain.find(({ name }) => name === 'routes')

/** What the provider knows: the deposit at each address. */
const paid = new Map<string, string>()

const reportsAt = (address: string, origin: object) => {
  const id = paid.get(address)
  if (!id) return []
  const amounts = {
    originAmount: 1_000_000n,
    originAmountUsd: null,
    destinationAmount: 990_000n,
    destinationAmountUsd: null,
  }
  const reasons = { failureReason: null, providerReason: null }
  return [
    { requestId: id, status: 'completed', origin, ...amounts, depositTxHash: id, ...reasons, updatedAt: new Date() },
  ]
}

interface Query {
  readonly depositAddress: string
  readonly origin: object
}

/** A provider that answers for many addresses at once, as a live one does. */
const provider = {
  name: 'bench',
  capabilities: { reusableAddresses: true },
  callsPerMinute: CALLS_PER_MINUTE,
  addressesPerCall: 50,
  offers: async () => [],
  async deposits(query: Query) {
    await pause(ANSWER_MS)
    return { reports: reportsAt(query.depositAddress, query.origin), calls: 1 }
  },
  async depositsOf(queries: readonly Query[]) {
    await pause(ANSWER_MS)
    return queries.map(({ depositAddress, origin }, index) => ({
      reports: reportsAt(depositAddress, origin),
      calls: index === 0 ? 1 : 0,
    }))
  },
  callback: ({ body }: { body: Buffer }) => ({ depositAddress: body.toString('utf8') }),
}

/** Addresses of one organisation, due a minute ago. */
async function seed({ pool }: Runtime, count: number, hidden: boolean): Promise<string[]> {
  const organisationId = await foundOrganisation({ pool } as Runtime)
  const { rows } = await pool.query<{ address: string }>(
    `insert into payment_routes (id, organisation_id, environment, provider, name, status, origin_chain_key, origin_currency, destination_chain_key,
       destination_currency, destination_address, refund_address, deposit_address, next_poll_at, poll_seconds, hidden, watched_until, created_at, updated_at)
     select gen_random_uuid(), $1, 'live', 'bench', 'Route', 'active', 'ethereum', 'USDC', 'base', 'USDC', n || $4, 'r', n || $4,
            now() - interval '1 minute', 15, $3, now() + interval '1 hour', now(), now()
       from generate_series(1, $2::int) n returning deposit_address as address`,
    [organisationId, count, hidden, newId()],
  )
  return rows.map(({ address }) => address)
}

/** How long callbacks take to be applied beside open sessions that are all overdue. */
export async function benchAnnounced(print: (line: string) => void): Promise<ProofReport> {
  const port = routes?.providers?.[0]?.port as Port<Provider>
  const [callback] = routes?.api?.callbacks ?? []
  if (!callback) throw new Error('Routes have no callback')
  return withStand(
    [],
    print,
    async ({ process: own }) => {
      const { runtime } = own
      for (let part = 0; part < ROUTES; part += 5000) await seed(runtime, Math.min(5000, ROUTES - part), true)
      const addresses = await seed(runtime, DEPOSITS, false)
      await runtime.pool.query("update payment_routes set next_poll_at = now() + interval '1 day' where not hidden")
      await runtime.pool.query('analyze payment_routes')
      await own.startWorker()
      const announcedAt = new Map<string, number>()
      for (const [index, address] of addresses.entries()) {
        paid.set(address, `request ${index}`)
        announcedAt.set(`request ${index}`, performance.now())
        await callback.receive(runtime, provider, { body: Buffer.from(address), header: () => undefined } as never)
        await pause(1000 / PER_SECOND)
      }
      const took = new Map<string, number>()
      const end = performance.now() + 60_000
      while (took.size < DEPOSITS && performance.now() < end) {
        const { rows } = await runtime.pool.query<{ id: string; created: number }>(
          'select relay_request_id as id, extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as created from payment_route_deposits',
        )
        for (const { id, created } of rows)
          if (!took.has(id)) took.set(id, performance.now() - created - (announcedAt.get(id) ?? 0))
        await pause(50)
      }
      const sorted = [...took.values()].sort((a, b) => a - b)
      const at = (part: number) =>
        (sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN) / 1000
      const [median, last] = [at(0.5), at(0.99)]
      print(
        `${took.size} of ${DEPOSITS} callbacks beside ${ROUTES} overdue addresses: median ${median.toFixed(2)} s, 99 % within ${last.toFixed(2)} s`,
      )
      const findings = [
        ...(took.size < DEPOSITS ? [`${DEPOSITS - took.size} callbacks were not applied`] : []),
        ...(last > WITHIN_SECONDS ? [`99 % of the callbacks took up to ${last.toFixed(2)} s`] : []),
      ]
      return {
        figures: {
          addresses: ROUTES,
          callbacks: took.size,
          'median, s': Number(median.toFixed(2)),
          '99 %, s': Number(last.toFixed(2)),
        },
        findings,
      } as unknown as ProofReport
    },
    [bind(port, 'live', provider)],
  )
}
