import { bind } from '@payments/kernel'
import { routesProvider } from '@payments/routes'
import { expect, test } from 'vitest'
import {
  chance,
  connected,
  DEPOSITS,
  endAll,
  expectOnce,
  KILLS,
  newMerchant,
  newRoutes,
  PATIENCE_MS,
  pause,
  repeatedly,
  settled,
  startInProduction,
  startService,
  trustedCertificate,
} from '#testing'
import { type Fault, type RelayServer, startRelay } from '../test/server.ts'

const ROUTES = 12
const DAY_MS = 86_400_000
const OUTCOMES = ['completed', 'completed', 'refunded', 'failed'] as const

const certificate = await trustedCertificate()
const { tls } = certificate

/** Relay at its worst, on the wire: silent about some, broken, late, repeating itself, out of order. It never lies about an end. */
function worsen(world: RelayServer): () => number {
  let faults = 0
  // The first time always, then by chance.
  const fault = (share: number) => (faults === 0 || chance(share)) && ++faults > 0
  const spoiled: (() => Fault | undefined)[] = [
    () => ({ status: 500 }),
    () => ({ status: 200, body: '{"requests":"none"}' }),
    () => ({ lateMs: Math.random() * 400 }),
    () => 'truncated',
  ]
  world.spoil = (line) => {
    if (line === 'POST /quote/v2') return undefined
    if (fault(0.01)) return { status: 429, headers: { 'retry-after': '1' } }
    return fault(0.12) ? spoiled[Math.floor(Math.random() * spoiled.length)]?.() : undefined
  }
  world.distort = (page) =>
    page
      .filter(() => !fault(0.1))
      .flatMap((one) => (fault(0.1) ? [one, one] : [one]))
      .map((one) => (fault(0.1) ? { ...one, surprise: { deep: [1] } } : one))
      .map((one) =>
        one.status !== 'waiting' && !one.supersededByRequestId && fault(0.1)
          ? { ...one, status: chance(0.5) ? 'pending' : 'something new', updatedAt: new Date(0).toISOString() }
          : one,
      )
      .toSorted(() => Math.random() - 0.5)
  return () => faults
}

test.each([
  ['a day behind', -DAY_MS],
  ['a day ahead', DAY_MS],
])(
  'in production, with a faulty Relay whose clock is %s, a process that is killed repeatedly loses and doubles nothing',
  async (_name, skewMs) => {
    const world = await startRelay({ tls, skewMs })
    const service = await startService({ live: [bind(routesProvider, 'live', world.provider)] })
    const owner = await connected(service)
    const start = () =>
      startInProduction(service, certificate, {
        RELAY_BASE_URL: world.url,
        RELAY_API_KEY: 'relay-key',
        RELAY_REQUESTS_PER_MINUTE: '60000',
      })
    let worker = await start()
    const settling = repeatedly(500, async () => {
      await world.settle()
    })
    try {
      const merchant = await newMerchant(service, { environment: 'live' })
      const routes = await newRoutes(merchant, ROUTES)
      const faults = worsen(world)
      const paid = new Map<string, string>()
      const pay = async () => {
        const outcome = OUTCOMES[paid.size % OUTCOMES.length] as (typeof OUTCOMES)[number]
        const { depositAddress } = routes[paid.size % ROUTES] as { depositAddress: string }
        await world.pay(depositAddress, BigInt(1_000_000 + paid.size), outcome)
        const request = world.requests.at(-1) as RelayServer['requests'][number]
        paid.set(String(request.txHash), outcome)
        if (chance(0.1)) world.supersede(request)
      }
      for (let kill = 1; kill <= KILLS; kill++) {
        while (paid.size < (DEPOSITS * kill) / KILLS) await pay()
        // What arrives at a deleted route is recorded all the same.
        if (kill === KILLS - 1) await merchant.call(`DELETE /v1/payment-routes/${routes[0]?.id}`)
        await owner.query('update payment_route_polls set next_poll_at = least(next_poll_at, now())')
        await pause(500 + Math.random() * 2000)
        worker.kill()
        worker = await start()
      }
      await settled(owner, DEPOSITS)
      await expectOnce(service, merchant, owner, paid, 'deposit_tx_hash')
      expect(faults()).toBeGreaterThan(0)
    } finally {
      await endAll(settling, worker, owner, service, world)
    }
  },
  PATIENCE_MS * 3,
)
