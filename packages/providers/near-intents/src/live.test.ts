import { bind } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import { routesProvider } from '@payments/routes'
import { expect, test } from 'vitest'
import {
  chance,
  connected,
  DEPOSITS,
  endAll,
  KILLS,
  newCollection,
  newMerchant,
  PATIENCE_MS,
  pause,
  random,
  repeatedly,
  settled,
  someWallet,
  startInProduction,
  startService,
  startSession,
  trustedCertificate,
} from '#testing'
import { oddly } from '../test/odd.ts'
import { type Fault, type NearIntentsServer, startNearIntents } from '../test/server.ts'
import type { Outcome } from '../test/swap.ts'

const DAY_MS = 86_400_000
const QUOTED = 25_000_000n
/** What the payer of a session sends, what 1Click makes of it, and how the session ends. */
const CASES: readonly { sends: readonly bigint[]; outcome: Outcome; end: string; delivered: bigint }[] = [
  { sends: [QUOTED], outcome: 'completed', end: 'paid', delivered: QUOTED },
  { sends: [QUOTED + 3n], outcome: 'completed', end: 'paid', delivered: QUOTED },
  { sends: [QUOTED - 9n, 9n], outcome: 'completed', end: 'paid', delivered: QUOTED },
  { sends: [QUOTED], outcome: 'refunded', end: 'returned', delivered: 0n },
  { sends: [QUOTED - 1n], outcome: 'completed', end: 'returned', delivered: 0n },
  { sends: [QUOTED], outcome: 'failed', end: 'failed', delivered: 0n },
]
const caseOf = (number: number) => CASES[number % CASES.length] as (typeof CASES)[number]

const certificate = await trustedCertificate()
const { tls } = certificate

/** 1Click at its worst, on the wire: broken, late, silent about some, with earlier and unknown states. It never lies about an end. */
function worsen(world: NearIntentsServer): () => number {
  let faults = 0
  // The first time always, then by chance.
  const fault = (share: number) => (faults === 0 || chance(share)) && ++faults > 0
  const spoiled: (() => Fault)[] = [
    () => ({ status: 500 }),
    () => ({ status: 404, body: '{"message":"Deposit address not found"}' }),
    () => ({ status: 200, body: '{"status":null}' }),
    () => ({ lateMs: Math.random() * 400 }),
    () => 'truncated',
  ]
  world.spoil = (line) => {
    if (line !== 'GET /v0/status') return undefined
    if (fault(0.01)) return { status: 429, headers: { 'retry-after': '1' } }
    return fault(0.12) ? spoiled[Math.floor(Math.random() * spoiled.length)]?.() : undefined
  }
  const odd = oddly(random(Math.floor(Math.random() * 1e9)))
  world.distort = (answer) => (fault(0.1) ? { ...odd(answer), status: 'SOMETHING_NEW' } : odd(answer))
  return () => faults
}

test.each([
  ['a day behind', -DAY_MS],
  ['a day ahead', DAY_MS],
])(
  'in production, with a faulty 1Click whose clock is %s, a process that is killed repeatedly ends every session right, once',
  async (_name, skewMs) => {
    const world = await startNearIntents({ tls, skewMs, quotesPerMinute: 60_000 })
    const service = await startService({ live: [bind(routesProvider, 'live', world.provider)] })
    const owner = await connected(service)
    const start = () =>
      startInProduction(service, certificate, {
        NEAR_INTENTS_BASE_URL: world.url,
        NEAR_INTENTS_TOKEN: 'near-token',
        NEAR_INTENTS_REQUESTS_PER_MINUTE: '60000',
      })
    let worker = await start()
    let paidAll = false
    const settling = repeatedly(500, async () => {
      await world.settle()
      if (paidAll) await world.expire()
    })
    try {
      const merchant = await newMerchant(service, { environment: 'live' })
      const policy = { paymentPolicy: { mismatch: 'return' } }
      const sessions: { id: string; depositAddress: string }[] = []
      let link = { id: '' }
      while (sessions.length < DEPOSITS) {
        // Several links, as merchants have them.
        if (sessions.length % 5 === 0) link = await newCollection(merchant, policy)
        sessions.push(await startSession(service, link.id, { refundAddress: someWallet() }))
      }
      const faults = worsen(world)
      const pay = async (number: number, part: number) => {
        const { sends, outcome } = caseOf(number)
        const amount = sends[part]
        if (amount !== undefined) await world.pay(String(sessions[number]?.depositAddress), amount, outcome)
      }
      let paid = 0
      for (let kill = 1; kill <= KILLS; kill++) {
        for (; paid < (DEPOSITS * kill) / KILLS; paid++) await pay(paid, 0)
        await owner.query('update payment_route_polls set next_poll_at = least(next_poll_at, now())')
        await pause(500 + Math.random() * 2000)
        worker.kill()
        worker = await start()
      }
      for (let number = 0; number < DEPOSITS; number++) await pay(number, 1)
      paidAll = true
      await settled(owner, DEPOSITS)
      expect(faults()).toBeGreaterThan(0)
      world.spoil = () => undefined
      world.distort = (answer) => answer

      for (const [number, { id, depositAddress }] of sessions.entries()) {
        const { end, delivered } = caseOf(number)
        const session = (await merchant.call(`GET /v1/collections/${id}`)).body.data
        expect([session.status, session.deliveredAmount], `case ${number % CASES.length}`).toEqual([
          end,
          delivered > 0n ? '25' : '0',
        ])
        expect(world.book.get(depositAddress)).toMatchObject({ delivered, lost: 0n })
      }
      const { rows } = await owner.query<{ request: string; sent: string }>(
        'select relay_request_id as request, origin_amount::text as sent from payment_route_deposits',
      )
      const received = [...world.book].map(([address, one]) => [`near-intents:${address}`, one.received.toString()])
      expect(new Map(rows.map(({ request, sent }) => [request, sent]))).toEqual(new Map(received as [string, string][]))
      expect(rows).toHaveLength(DEPOSITS)
      expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(DEPOSITS)
      expect(await checkLedger(service.runtime)).toMatchObject({ ok: true, findings: [] })
    } finally {
      await endAll(settling, worker, owner, service, world)
    }
  },
  PATIENCE_MS * 3,
)
