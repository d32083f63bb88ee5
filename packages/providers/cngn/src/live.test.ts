import { cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { expect, test } from 'vitest'
import {
  CNGN_OPERATIONS,
  chance,
  cngnBodies,
  connected,
  enabledCustomer,
  endAll,
  expectConsistent,
  type Merchant,
  newMerchant,
  pause,
  repeatedly,
  startInProduction,
  startService,
  trustedCertificate,
} from '#testing'
import { type CngnServer, type Fault, startCngn } from '../test/server.ts'

const KILLS = CNGN_OPERATIONS > 100 ? 3 : 1
const PATIENCE_MS = 120_000 + CNGN_OPERATIONS * 1000

const certificate = await trustedCertificate()
const { tls } = certificate

/** The API at its worst, on the wire: broken, late, and forgetting to say what it did. It never lies about an end. */
function worsen(world: CngnServer): () => number {
  let faults = 0
  const spoiled: (() => Fault)[] = [
    () => ({ status: 500, message: 'x' }),
    () => ({ status: 400, message: 'Service is currently unavailable. Please try again later.' }),
    () => ({ lateMs: Math.random() * 300 }),
    () => 'truncated',
    () => 'lost',
  ]
  let calls = 0
  // The third call always, the others by chance.
  world.spoil = () =>
    (++calls === 3 || chance(0.15)) && ++faults > 0
      ? spoiled[Math.floor(Math.random() * spoiled.length)]?.()
      : undefined
  world.distort = (page) =>
    page.map((each) =>
      each.status === 'success' && chance(0.05) ? { ...each, status: 'pending', surprise: { deep: [1] } } : each,
    )
  return () => faults
}

/** Only rows that nobody has locked: a statement of the test must not wait for one of the service. */
const unlocked = (condition: string) => `id in (select id from cngn_sends where ${condition} for update skip locked)`
const DUE = [
  "update cngn_feeds set next_poll_at = least(next_poll_at, now()) where environment = 'live'",
  `update cngn_sends set next_send_at = now() - make_interval(secs => 1) where ${unlocked("status = 'queued' and next_send_at > now()")}`,
  // The call of a process that was killed is over after its timeout.
  `update cngn_sends set sent_at = sent_at - interval '121 seconds' where ${unlocked("status = 'claimed' and sent_at between now() - interval '120 seconds' and now() - interval '20 seconds'")}`,
  // The server decides at once: what two lists, a second apart, do not show never reached it. Their real distance is minutes, each time that a list leaves it open again.
  `update cngn_sends set sent_at = sent_at - case when sent_at > now() - interval '300 seconds' then interval '301 seconds' else interval '0' end,
          absent_since = absent_since - interval '121 seconds' where ${unlocked(
            "reference is null and sent_at < now() - interval '3 seconds' and absent_since between now() - interval '120 seconds' and now() - interval '1 second'",
          )}`,
]

/** Creates an object, however often the API fails meanwhile. */
async function create(merchant: Merchant, kind: string, body: object): Promise<Record<string, string>> {
  for (let tries = 0; tries < 60; tries++) {
    const answer = await merchant.call(`POST /v1/cngn/${kind}`, { body })
    if (answer.status === 201) return answer.body.data
    expect([502, 503], answer.text).toContain(answer.status)
    await pause(50)
  }
  throw new Error('The API never accepted it')
}

test(
  'in production, with a faulty API without references and a process that is killed, every order is sent once, every payment counted once, and every object ends once',
  async () => {
    const world = await startCngn({ tls, requestsPerMinute: 6000 })
    const service = await startService({ live: [bind(cngnProvider, 'live', world.provider)] })
    const owner = await connected(service)
    const start = () =>
      startInProduction(service, certificate, {
        CNGN_BASE_URL: world.url,
        CNGN_API_KEY: world.apiKey,
        CNGN_ENCRYPTION_KEY: world.encryptionKey,
        CNGN_PRIVATE_KEY: world.key.pem,
        CNGN_REQUESTS_PER_MINUTE: '6000',
      })
    let worker = await start()
    const moving = repeatedly(300, async () => {
      await world.settle()
      for (const due of DUE) await owner.query(due)
    })
    try {
      const merchant = await newMerchant(service, { environment: 'live' })
      const customers = await Promise.all(
        [1, 2, 3].map(() => enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')),
      )
      const balances = async () =>
        Promise.all(
          customers.map(async (id) =>
            Number((await merchant.call(`GET /v1/cngn/customers/${id}/balance`)).body.data.available),
          ),
        )
      const pay = async (customerId: string, amount: string) => {
        const { reference = '' } = await create(merchant, 'payins', { customerId, amount })
        await world.pay(reference, BigInt(amount) * 1_000_000n)
      }
      await Promise.all(customers.map((id) => pay(id, '1000000')))
      await expect.poll(balances, { timeout: 60_000 }).toEqual([1_000_000, 1_000_000, 1_000_000])
      const faults = worsen(world)

      let spent = 0
      const add = async (number: number) => {
        const customerId = customers[number % customers.length] as string
        const accountNumber = number % 7 === 0 ? '0000000000' : '0123456789'
        // Many are equal: same amount, same destination.
        const amount = `${10 + (number % 5)}`
        switch (number % 4) {
          case 0:
            return pay(customerId, `${100 + number}`)
          case 1:
            if (number % 7 !== 0) spent += Number(amount)
            return create(merchant, 'withdrawals', {
              customerId,
              ...cngnBodies.withdrawals,
              amount: number % 7 === 0 ? '9' : amount,
            })
          default:
            return create(merchant, 'payouts', { customerId, amount, bankAccount: { accountNumber, bankCode: '058' } })
        }
      }
      for (let kill = 1; kill <= KILLS; kill++) {
        const jobs: number[] = []
        for (
          let number = Math.round((CNGN_OPERATIONS * (kill - 1)) / KILLS);
          number < Math.round((CNGN_OPERATIONS * kill) / KILLS);
          number++
        )
          jobs.push(number)
        const lane = async () => {
          for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await add(job)
        }
        await Promise.all([lane(), lane(), lane(), lane()])
        await pause(Math.random() * 800)
        worker.kill()
        worker = await start()
      }
      const open = async () => {
        const { rows } = await owner.query(
          "select kind, status, count(*)::int from cngn_transfers where status in ('pending', 'processing') group by 1, 2",
        )
        return rows
      }
      await expect.poll(open, { timeout: PATIENCE_MS, interval: 500 }).toEqual([])
      await moving.stop()
      expect(faults()).toBeGreaterThan(0)

      // At the fake bank: each order is one movement with its amount and destination, and there is no other.
      const { rows: orders } = await owner.query<{
        reference: string
        amount: string
        destination: string
        status: string
      }>(
        `select s.reference, trim_scale(t.amount / 1e6)::text as amount, coalesce(t.account_number, t.address) as destination, t.status
           from cngn_sends s join cngn_transfers t on t.id = s.id`,
      )
      const moved = world.transactions.filter(({ trx_type }) => trx_type !== 'deposit')
      const asWire = moved
        // An order that failed without an answer was sent again: see the one that has its reference.
        .filter(({ trx_ref, status }) => status === 'success' || orders.some(({ reference }) => reference === trx_ref))
        .map(({ trx_ref, amount, receiver, status }) => {
          const to = typeof receiver === 'string' ? receiver.split(':')[1] : (receiver as { address: string }).address
          return [trx_ref, Number(amount).toString(), to, status === 'success' ? 'completed' : 'failed'].join(' ')
        })
      expect(
        orders.map((each) => [each.reference, each.amount, each.destination, each.status].join(' ')).sort(),
      ).toEqual(asWire.sort())
      const { rows: credited } = await owner.query<{ reference: string }>(
        "select provider_reference as reference from cngn_receipts r join cngn_transfers t on t.id = r.transfer_id where r.status = 'credited'",
      )
      expect(credited).toHaveLength(world.transactions.length - moved.length)
      const sum = (all: number[]) => all.reduce((one, other) => one + other, 0)
      const held = sum(
        world.transactions.map(
          ({ trx_type, status, amount }) =>
            (trx_type === 'deposit' ? 1 : status === 'failed' ? 0 : -1) * Number(amount),
        ),
      )
      expect(sum(await balances())).toBe(held)
      expect(spent).toBeGreaterThan(0)
      const { rows: paths } = await owner.query<{ path: string }>(
        `select distinct string_agg(concat(payload->'data'->>'previousStatus', '>', payload->'data'->>'status'), ' ' order by id) as path
           from events where type like 'cngn.%' group by resource_id`,
      )
      expect(new Set(paths.map(({ path }) => path))).toEqual(
        new Set(['>pending pending>processing processing>completed', '>pending pending>processing processing>failed']),
      )
      await expectConsistent(service, 'others')
    } finally {
      await endAll(moving, worker, owner, service, world)
    }
  },
  PATIENCE_MS * 2,
)
