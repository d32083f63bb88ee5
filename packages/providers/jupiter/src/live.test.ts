import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { chance, connected, pause, SWAPS, type SwapData, sized, startInProduction, trustedCertificate } from '#testing'
import { API_KEY } from '../test/exchange.ts'
import type { Fault } from '../test/listen.ts'
import { expectJournalEqualsChain, type Live, startLive } from '../test/live.ts'

const KILLS = sized(2, 1) + Math.floor(SWAPS / 40)
const PATIENCE_MS = 60_000 + SWAPS * 1500
const EUR = 1_000_000n

const certificate = await trustedCertificate()
const { tls } = certificate

/** Jupiter and the node at their worst: broken, late, silent, behind, and a network that loses transactions. */
function worsen({ world }: Live): () => number {
  let count = 0
  const happens = (share: number) => chance(share) && ++count > 0
  const faults: (() => Fault)[] = [
    () => ({ status: 500 }),
    () => ({ status: 200, body: '{"result":"none"}' }),
    () => ({ lateMs: Math.random() * 200 }),
    () => 'truncated',
    () => 'silent',
    () => 'lost',
  ]
  const fault = () => (happens(0.05) ? faults[Math.floor(Math.random() * faults.length)]?.() : undefined)
  world.node.spoil = fault
  world.exchange.spoil = () => (happens(0.01) ? { status: 429, headers: { 'retry-after': '1' } } : fault())
  world.node.behind = () => (happens(0.05) ? Math.floor(Math.random() * 50) : 0)
  world.chain.loses = () => happens(0.08)
  return () => count
}

/** What happens to a swap, and how it must end. */
const PLANS: readonly (readonly [(live: Live, swap: SwapData) => Promise<unknown>, string])[] = [
  [(live, swap) => live.pay(swap, 100n * EUR), 'completed'],
  [(live, swap) => live.pay(swap, 130n * EUR), 'completed'],
  [
    async (live, swap) => {
      await live.pay(swap, 60n * EUR)
      await live.pay(swap, 40n * EUR)
    },
    'completed',
  ],
  [
    async (live, swap) => {
      await live.merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
      await live.pay(swap, 20n * EUR)
      await live.pay(swap, 80n * EUR)
    },
    'refunded',
  ],
]

test(
  `${SWAPS} swaps at once, in production, with a faulty Jupiter and a faulty node: workers that are killed repeatedly lose and double nothing`,
  async () => {
    const seed = randomBytes(32)
    const live = await startLive({ tls, seed })
    const { service, world } = live
    const owner = await connected(service)
    const start = () =>
      startInProduction(service, certificate, {
        SWAP_SEED: seed.toString('base64'),
        // Each swap pays out to a wallet of its own.
        SWAP_REFUND_SOL_PER_DAY: '1000',
        JUPITER_BASE_URL: world.exchange.url,
        JUPITER_API_KEY: API_KEY,
        SOLANA_RPC_URL: world.node.url,
      })
    // Twenty blocks a second, of which the newest are not final: a blockhash lives for eight seconds.
    const blocks = setInterval(() => {
      world.chain.advance(2, false)
      world.chain.finalized = Math.max(world.chain.finalized, world.chain.slot - 4)
    }, 100)
    let worker = await start()
    try {
      const faults = worsen(live)
      const expected = new Map<string, string>()
      for (let kill = 1; kill <= KILLS; kill++) {
        const missing = Math.ceil((SWAPS * kill) / KILLS) - expected.size
        const made = await Promise.all(Array.from({ length: missing }, () => created(live)))
        await Promise.all(
          made.map(async (swap) => {
            const [plan, end] = PLANS[expected.size % PLANS.length] as (typeof PLANS)[number]
            expected.set(swap.id, end)
            await plan(live, swap)
          }),
        )
        await owner.query('update swap_polls set next_poll_at = least(next_poll_at, now())')
        await pause(300 + Math.random() * 1500)
        worker.kill()
        worker = await start()
      }
      const end = Date.now() + PATIENCE_MS
      let open = -1
      while (open !== 0 && Date.now() < end) {
        const { rows } = await owner.query<{ open: number }>(
          `select count(*)::int as open from swaps s
            where status not in ('completed', 'refunded')
               or deposited_amount - returned_amount > case status when 'completed' then amount else 0 end
               or exists (select from swap_transactions where swap_id = s.id and outcome is null)`,
        )
        open = rows[0]?.open ?? -1
        await owner.query(
          "update swap_polls set next_poll_at = least(next_poll_at, now() + interval '300 milliseconds')",
        )
        await pause(300)
      }
      const { rows } = await owner.query<{ id: string; status: string; changes: number; distinct: number }>(
        `select s.id, s.status, count(e.id)::int as changes, count(distinct e.payload->'data'->>'status')::int as distinct
           from swaps s join events e on e.resource_id = s.id group by s.id, s.status`,
      )
      expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(expected)
      for (const { changes, distinct } of rows) expect(changes).toBe(distinct)
      expect(faults()).toBeGreaterThan(0)
      await expectJournalEqualsChain(service, world)
    } finally {
      clearInterval(blocks)
      worker.kill()
      await owner.end()
      await live.stop()
    }
  },
  PATIENCE_MS * 2,
)

/** A swap, however often the faulty providers refuse it. */
async function created(live: Live): Promise<SwapData> {
  for (let attempt = 0; attempt < 30; attempt++) {
    const swap = await live.create().catch(() => undefined)
    if (swap) return swap
    await pause(200)
  }
  throw new Error('No swap was created')
}
