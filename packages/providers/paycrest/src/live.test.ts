import { fiatProvider } from '@payments/fiat'
import { bind } from '@payments/kernel'
import { expect, test } from 'vitest'
import {
  chance,
  connected,
  endAll,
  expectConsistent,
  type Merchant,
  newMerchant,
  newOfframpBody,
  newOnrampBody,
  OFFRAMPS,
  ONRAMPS,
  pause,
  repeatedly,
  startInProduction,
  startService,
  trustedCertificate,
} from '#testing'
import { type Fault, type PaycrestServer, startPaycrest } from '../test/server.ts'

const KILLS = 3
const PATIENCE_MS = 120_000 + (OFFRAMPS + ONRAMPS) * 300

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }
const OUTCOMES = [
  'delivered',
  'retried',
  'reassigned',
  'refunded',
  'returned',
  'held',
  'cancelled',
  'cancelled_refunded',
  'unpaid',
] as const
type Outcome = (typeof OUTCOMES)[number]

const certificate = await trustedCertificate()
const { tls } = certificate

/** Paycrest at its worst, on the wire: broken, late, forgetting what it did, telling what was. It never lies about an end. */
function worsen(world: PaycrestServer): () => number {
  let faults = 0
  // The first time always, then by chance.
  const fault = (share: number) => (faults === 0 || chance(share)) && ++faults > 0
  const spoiled: (() => Fault)[] = [
    () => ({ status: 500 }),
    () => ({ status: 200, body: '{"status":"success","data":"none"}' }),
    () => ({ lateMs: Math.random() * 300 }),
    () => 'truncated',
  ]
  world.spoil = (line) => {
    if (line.startsWith('GET /sender/orders/') && fault(0.005))
      return { status: 429, body: '{"status":"error","message":"x","data":{"retry_after":1,"limit":20}}' }
    return fault(0.12) ? spoiled[Math.floor(Math.random() * spoiled.length)]?.() : undefined
  }
  world.distort = (order) => {
    if (fault(0.1)) return { ...order, status: 'initiated', amountPaid: '0' }
    if (!['settled', 'refunded', 'expired', 'cancelled'].includes(String(order.status)) && fault(0.05))
      return { ...order, status: 'something new' }
    return fault(0.1) ? { ...order, surprise: { deep: [1] } } : order
  }
  return () => faults
}

/** Creates an order, however often Paycrest fails meanwhile. */
async function create(
  merchant: Merchant,
  direction: 'offramp' | 'onramp',
  number: number,
): Promise<{ id: string; asked: bigint }> {
  const body =
    direction === 'offramp'
      ? newOfframpBody({
          refundAddress: WALLET,
          amount: `${20 + (number % 40)}.${10 + (number % 3)}`,
          reference: `o${number}`,
        })
      : newOnrampBody({ amount: `${5000 + number}`, refundBankAccount, reference: `i${number}` })
  for (let tries = 0; tries < 60; tries++) {
    const answer = await merchant.call(`POST /v1/${direction}s`, { body })
    if (answer.status === 201) {
      const { id, deposit, paymentAccount } = answer.body.data
      const asked = direction === 'offramp' ? Number(deposit.amount) * 1e6 : Number(paymentAccount.amount) * 100
      return { id, asked: BigInt(Math.round(asked)) }
    }
    expect([502, 503], answer.text).toContain(answer.status)
    await pause(50)
  }
  throw new Error('Paycrest never accepted the order')
}

/** How an order ends: its status, its reason, and its refund. */
function endOf(direction: 'offramp' | 'onramp', outcome: Outcome): string {
  const offramp = direction === 'offramp'
  switch (outcome) {
    case 'delivered':
    case 'retried':
    case 'reassigned':
      return 'delivered - -'
    case 'unpaid':
      return offramp ? 'failed deposit_not_received -' : 'expired - -'
    case 'held':
      // Only money of onramps is held.
      return offramp ? 'delivered - -' : 'failed compliance_hold -'
    case 'cancelled':
      return `failed ${offramp ? 'payout_failed' : 'delivery_failed'} -`
    default:
      return `failed ${offramp ? 'payout_failed' : 'delivery_failed'} completed`
  }
}

test(
  'in production, with a faulty Paycrest and a process that is killed three times, every order ends once, is paid at most once, and is posted and announced once',
  async () => {
    const world = await startPaycrest({ tls })
    const service = await startService({ live: [bind(fiatProvider, 'live', world.provider)] })
    const owner = await connected(service)
    const start = () =>
      startInProduction(service, certificate, {
        PAYCREST_BASE_URL: world.url,
        PAYCREST_API_KEY: 'paycrest-key',
        PAYCREST_API_SECRET: 'paycrest-secret',
        PAYCREST_REQUESTS_PER_MINUTE: '60000',
      })
    let worker = await start()
    const moving = repeatedly(400, async () => {
      world.step()
      await owner.query(UNFINISHED_DUE)
      await owner.query(CANCELLED_LONGER)
    })
    try {
      const merchant = await newMerchant(service, { environment: 'live' })
      await world.provider.offers()
      const faults = worsen(world)
      const expected = new Map<string, string>()
      const add = async (direction: 'offramp' | 'onramp', number: number) => {
        const outcome = OUTCOMES[number % OUTCOMES.length] as Outcome
        const { id, asked } = await create(merchant, direction, number)
        expected.set(id, endOf(direction, outcome))
        const order = world.order(id)
        if (outcome === 'unpaid') {
          order.status = 'expired'
          return
        }
        // Some payers send another amount: what arrived is paid out.
        const amount = direction === 'offramp' && chance(0.2) ? asked / 2n : asked
        order.outcome = outcome
        await world.pay(id, amount)
      }
      for (let kill = 1; kill <= KILLS; kill++) {
        const upTo = (all: number, number: number) => Math.round((all * number) / KILLS)
        const jobs: [direction: 'offramp' | 'onramp', number: number][] = []
        for (let number = upTo(OFFRAMPS, kill - 1); number < upTo(OFFRAMPS, kill); number++)
          jobs.push(['offramp', number])
        for (let number = upTo(ONRAMPS, kill - 1); number < upTo(ONRAMPS, kill); number++) jobs.push(['onramp', number])
        const lane = async () => {
          for (let job = jobs.shift(); job; job = jobs.shift()) await add(...job)
        }
        await Promise.all([lane(), lane(), lane(), lane()])
        await pause(Math.random() * 800)
        worker.kill()
        worker = await start()
      }
      const ends = async () => {
        const { rows } = await owner.query<{ id: string; ending: string }>(
          `select o.id, concat_ws(' ', o.status, coalesce(o.failure_reason, '-'), coalesce(r.status, '-')) as ending
             from (select id, status, failure_reason from offramps union all select id, status, failure_reason from onramps) o
             left join fiat_refunds r on r.id = o.id`,
        )
        return new Map(rows.map(({ id, ending }) => [id, ending]))
      }
      const wrong = async () => {
        const actual = await ends()
        return [...expected]
          .filter(([id, ending]) => ending !== actual.get(id))
          .map(([id, ending]) => [ending, actual.get(id)])
      }
      await expect.poll(wrong, { timeout: PATIENCE_MS, interval: 500 }).toEqual([])
      await moving.stop()
      expect(faults()).toBeGreaterThan(0)

      const ended = await ends()
      expect(ended.size).toBe(OFFRAMPS + ONRAMPS)
      expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(OFFRAMPS + ONRAMPS)
      expect((await merchant.call('GET /v1/offramps')).body.data.total).toBe(OFFRAMPS)
      expect((await merchant.call('GET /v1/onramps')).body.data.total).toBe(ONRAMPS)
      // At the fake bank: paid at most once, and only what is delivered here; what the service forgot was never funded.
      for (const order of world.orders) {
        const ending = ended.get(order.reference)
        expect([order.reference, ending, order.payouts]).toEqual([
          order.reference,
          ending,
          ending?.startsWith('delivered') ? 1 : 0,
        ])
        if (!ending) expect(order.received).toBe(0n)
      }
      await expectLegalEvents(owner, ended)
      await expectConsistent(service, 'others')
    } finally {
      await endAll(moving, worker, owner, service, world)
    }
  },
  PATIENCE_MS * 2,
)

const LINES: Record<string, readonly string[]> = {
  offramp: ['pending', 'processing', 'settled', 'delivered'],
  onramp: ['awaiting_payment', 'processing', 'delivered'],
}

/** An order that its provider hides for half an hour has failed: here it takes seconds, but longer than it is until another one has it. */
const CANCELLED_LONGER = `update fiat_polls set cancelled_since = cancelled_since - interval '4 minutes' where cancelled_since is not null`

/** Makes the orders that have not ended due for their poll. */
const UNFINISHED_DUE = `update fiat_polls q set next_poll_at = least(next_poll_at, now())
  where exists (select from fiat_refunds r where r.id = q.id and r.status = 'pending')
     or exists (select from offramps o where o.id = q.id and o.status in ('pending', 'processing', 'settled'))
     or exists (select from onramps o where o.id = q.id and o.status in ('awaiting_payment', 'processing'))`

/** Every order has exactly the events of its path, in order, each with the status before. */
async function expectLegalEvents(owner: Awaited<ReturnType<typeof connected>>, ended: ReadonlyMap<string, string>) {
  const { rows } = await owner.query<{
    id: string
    type: string
    previous: string | null
    status: string
    refund: string | null
  }>(
    `select resource_id as id, type, payload->'data'->>'previousStatus' as previous, payload->'data'->>'status' as status,
            payload->'data'->'refund'->>'status' as refund
       from events where type like 'offramp.%' or type like 'onramp.%' order by events.id`,
  )
  for (const [id, ending] of ended) {
    const own = rows.filter((row) => row.id === id && /\.(created|updated)$/.test(row.type))
    const kind = own[0]?.type.split('.')[0] ?? ''
    const [status = '', reason, refund] = ending.split(' ')
    const line = LINES[kind] ?? []
    // Of a cancelled order no poll may have seen the money.
    const isUnseen = refund === '-' && !own.some((row) => row.status === 'processing')
    const paid = reason !== 'deposit_not_received' && status !== 'expired' && !isUnseen
    const until = status === 'delivered' ? line.length : paid ? 2 : 1
    const path = [...line.slice(0, until), ...(status === 'delivered' ? [] : [status])]
    const changes = own.filter(({ previous, status: next }) => previous !== next)
    expect([id, changes.map((row) => row.status)]).toEqual([id, path])
    expect([id, changes.map((row) => row.previous)]).toEqual([id, [null, ...path.slice(0, -1)]])
    expect([id, own.at(-1)?.refund ?? '-']).toEqual([id, refund])
    const optIn = rows.filter((row) => row.id === id && /\.(settled|delivered)$/.test(row.type))
    expect([id, optIn.map((row) => row.status)]).toEqual([
      id,
      kind === 'offramp' ? path.filter((each) => each === 'settled' || each === 'delivered') : [],
    ])
  }
}
