import { type Random, random as randomOf, rows, START_SESSION, samples } from '@payments/stand'
import { journal, mismatch, storedSessions } from './books/books.ts'
import { type FakeRelay, oddly } from './fakes.ts'
import { agenda, broken, created, type Difference, merchantOf, misbehaviour, type Part, TOO_MANY } from './part.ts'
import type { ProviderStand } from './stand.ts'

/** Deposits of a route, on average. */
const DEPOSITS = 3
const HURRY_ROUTES = [
  "update payment_route_polls set next_poll_at = least(next_poll_at, now()) where environment = 'live'",
]

/** Payment routes and checkout sessions, whose deposits are all at Relay. */
export function relayParts({ relay, merchants, database }: ProviderStand, random: Random): readonly Part[] {
  const faults = misbehave(relay, random)
  const { later, step } = agenda()
  const advance = () => {
    step()
    void relay.settle()
  }
  const amount = () => BigInt(1_000_000 + random.below(400_000_000))

  /** A payer's transfer, and what may become of it on its way. */
  const pay = async (address: string, value: bigint, outcome: 'completed' | 'refunded' | 'failed') => {
    await relay.pay(address, value, outcome)
    const request = relay.requests.at(-1)
    if (!request) return
    const event = random.below(100)
    if (event < 8) relay.supersede(request)
    else if (event < 13) {
      relay.reorganise(request)
      if (random.chance(0.8)) later(2 + random.below(5), () => void relay.mineAgain(request))
    } else if (event < 18) {
      relay.block(request)
      if (random.chance(0.6)) later(2 + random.below(8), () => relay.refundByHand(request))
    }
  }

  const payAgain = (addresses: readonly string[], number: number) => {
    const paid = [...relay.book.values()].filter(
      ({ address, delivered }) => delivered > 0n && addresses.includes(address),
    )[number]
    if (paid) paid.delivered *= 2n
  }

  const routes: { readonly id: string; readonly address: string }[] = []
  let deposits = 0
  const routesPart: Part = {
    name: 'payment route deposits',
    share: 28,
    async add(number) {
      if (number % DEPOSITS === 0 || routes.length === 0) {
        const destinationCurrency = random.pick(['USDC', 'USDC', 'EURC'])
        const { id, depositAddress } = await created(
          merchantOf(merchants, number),
          `POST ${samples.route.path}`,
          samples.route.body({ destinationCurrency }),
        )
        const quoted = relay.requests.find((one) => one.address === depositAddress)
        // What is delivered is less than what was quoted, by fees.
        if (quoted && random.chance(0.5)) Object.assign(quoted, { delivers: (value: bigint) => (value * 995n) / 1000n })
        routes.push({ id, address: depositAddress })
      }
      deposits++
      const outcome = random.pick(['completed', 'completed', 'completed', 'completed', 'refunded', 'failed'] as const)
      await pay(random.pick(routes).address, amount(), outcome)
    },
    advance,
    hurry: HURRY_ROUTES,
    async differences() {
      const positions = await journal(database, ['payment_route'])
      const found = await rows<{
        id: string
        hash: string | null
        status: string
        origin: string
        destination: string
      }>(
        database,
        `select d.id, d.deposit_tx_hash as hash, d.status, d.origin_currency as origin, d.destination_currency as destination
           from payment_route_deposits d where not d.hidden`,
      )
      const routeOf = new Map(routes.map(({ id, address }) => [address, id]))
      const byHash = new Map(found.map((row) => [row.hash, row]))
      const told = (hash: string) =>
        relay.requests
          .filter(({ txHash }) => txHash === hash)
          .map(({ status, failReason }) => `${status} ${failReason ?? ''}`)
          .join(', ')
      const differences: Difference[] = found
        .filter(({ hash }) => hash === null || !relay.book.has(hash))
        .map(({ id, hash }) => ({ ids: [id], what: `deposit ${id} of transaction ${hash}, which never arrived` }))
      for (const [hash, { address, received, delivered, refunded }] of relay.book) {
        const routeId = routeOf.get(address)
        if (routeId === undefined) continue
        const row = byHash.get(hash)
        if (!row) {
          if (received > 0n)
            differences.push({
              ids: [routeId],
              what: `transaction ${hash} of ${received} is no deposit: ${told(hash)}`,
            })
          continue
        }
        const expected = delivered > 0n ? 'completed' : refunded > 0n ? 'refunded' : 'failed'
        const wrong =
          row.status === expected
            ? mismatch(positions.get(row.id), {
                [`external ${row.origin}`]: refunded - received,
                [`destination ${row.destination}`]: delivered,
              })
            : `is ${row.status}, at the provider ${expected}: ${told(hash)}`
        if (wrong) differences.push({ ids: [row.id], what: `deposit ${row.id} ${wrong}` })
        if (delivered > received || delivered + refunded > received)
          differences.push({ ids: [], isGrave: true, what: `transaction ${hash} was paid twice` })
      }
      return differences
    },
    payAgain: (number) =>
      payAgain(
        routes.map(({ address }) => address),
        number,
      ),
    figures: () => ({ objects: deposits, faults: faults() }),
  }

  const sessions: { readonly id: string; readonly address: string; readonly asked: bigint }[] = []
  const collectionsPart: Part = {
    name: 'checkout sessions',
    share: 16,
    async add(number) {
      const merchant = merchantOf(merchants, number)
      const given = { type: random.pick(['link', 'checkout']), amount: `${20 + random.below(50)}` }
      const collection = await created(merchant, `POST ${samples.collection.path}`, samples.collection.body(given))
      const session = await created(merchant, `POST /v1/pay/${collection.id}`, START_SESSION, null)
      const asked = BigInt(Math.round(Number(session.amount) * 1e6))
      sessions.push({ id: session.id, address: session.depositAddress, asked })
      if (random.chance(0.25)) {
        const part = asked / BigInt(2 + random.below(3))
        await pay(session.depositAddress, part, random.pick(['completed', 'refunded'] as const))
        if (random.chance(0.3)) return
        await pay(session.depositAddress, asked - part, 'completed')
        return
      }
      const value = random.chance(0.1) ? (asked * 3n) / 2n : asked
      await pay(
        session.depositAddress,
        value,
        random.pick(['completed', 'completed', 'completed', 'refunded', 'failed'] as const),
      )
    },
    advance: () => undefined,
    hurry: [],
    async differences() {
      const positions = await journal(database, ['collection'])
      const byId = await storedSessions(database)
      return sessions.flatMap(({ id, address, asked }): Difference[] => {
        const own = [...relay.book.values()].filter((each) => each.address === address)
        const sum = (key: 'received' | 'delivered' | 'refunded') => own.reduce((all, each) => all + each[key], 0n)
        const { status, objects = [] } = byId.get(id) ?? {}
        const isPaid = sum('delivered') >= asked
        const wrong =
          (isPaid === (status === 'paid')
            ? undefined
            : `is ${status}, delivered were ${sum('delivered')} of ${asked}`) ??
          mismatch(positions.get(id), {
            'external USDC': sum('refunded') - sum('received'),
            'destination USDC': sum('delivered'),
          })
        return wrong ? [{ ids: [id, ...objects], what: `session ${id} ${wrong}` }] : []
      })
    },
    payAgain: (number) =>
      payAgain(
        sessions.map(({ address }) => address),
        number,
      ),
    figures: () => ({ objects: sessions.length, faults: 0 }),
  }
  return [routesPart, collectionsPart]
}

/** Relay at its worst: silent, broken, late, empty, forgetful, out of order, telling what was. It never lies about an end. */
function misbehave(relay: FakeRelay, random: Random): () => number {
  const { happens: fault, count } = misbehaviour(random)
  relay.spoil = (line) => {
    if (!fault(0.08)) return undefined
    return random.pick([
      ...[...broken(random), TOO_MANY],
      ...(line === 'GET /requests/v3'
        ? [
            { status: 200, body: '{"requests":"none"}' },
            { status: 200, body: '{"requests":[]}' },
          ]
        : []),
    ] as const)
  }
  // Either reading of more than was asked of a strict address.
  relay.reading = random.pick(['asked', 'arrived'] as const)
  const odd = oddly(randomOf(random.below(2 ** 31)))
  relay.distort = (page) =>
    odd(page)
      .filter(() => !fault(0.08))
      .map((one) => (fault(0.05) ? { ...one, surprise: { deep: [1] } } : one))
      // What no database can store, in any field.
      .map((one) =>
        fault(0.03)
          ? { ...one, requestType: 'a\u0000b', features: ['\ud800'], createdAt: '0000-01-01T00:00:00Z' }
          : one,
      )
      .map((one) =>
        one.status !== 'waiting' && !one.supersededByRequestId && fault(0.05)
          ? { ...one, status: random.pick(['pending', 'something new']), updatedAt: new Date(0).toISOString() }
          : one,
      )
  return count
}
