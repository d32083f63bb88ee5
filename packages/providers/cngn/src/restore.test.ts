import { cngn, cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { type Domain, domainsOf } from '@payments/platform'
import { afterAll, expect, test } from 'vitest'
import { call, enabledCustomer, newCngn, newMerchant, pause, signedIn, useService } from '#testing'
import { startCngn } from '../test/server.ts'

// A database that was restored to an earlier point does not know what was sent since. The provider's lists do, without our references.

const world = await startCngn({
  requestsPerMinute: 6000,
  pollSeconds: { soonest: 1, longest: 1 },
  certainAfterSeconds: 1,
  listsApartSeconds: 0.6,
})
afterAll(() => world.close())
const service = useService({ live: [bind(cngnProvider, 'live', world.provider)], worker: true })
const soon = { timeout: 40_000, interval: 200 }
const { restore } = (cngn as Domain).data ?? {}

const hurry = async () => {
  await service.runtime.pool.query(
    `with feeds as (update cngn_feeds set next_poll_at = now() - make_interval(secs => 1))
     update cngn_sends set next_send_at = now() - make_interval(secs => 1) where sent_at is null and not ended`,
  )
  triggerAll()
}
const triggerAll = () => {
  for (const { name, work } of domainsOf(service.runtime))
    if (name === 'cngn') for (const task of work?.tasks ?? []) service.runtime.trigger(task.name)
}

/** A value after the tasks have been asked to run. */
const after = async <T>(value: () => T): Promise<Awaited<T>> => {
  await hurry()
  return await value()
}

/** A customer with 1,000 cNGN, and payouts to an account of its own. */
async function begin(accountNumber: string) {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '1000' })
  await world.pay(reference, 1_000_000_000n)
  await world.settle()
  const show = async (kind: string, of: string) => {
    await hurry()
    return (await merchant.call(`GET /v1/cngn/${kind}/${of}`)).body.data.status
  }
  await expect.poll(() => show('payins', id), soon).toBe('completed')
  const bankAccount = { accountNumber, bankCode: '058' }
  const row = async (of: string) =>
    (
      await service.runtime.pool.query(
        `select s.sent_at is not null as sent, s.reference is not null as known, s.ended, t.status, t.attention
           from cngn_sends s join cngn_transfers t on t.id = s.id where s.id = $1`,
        [of],
      )
    ).rows[0]
  return {
    merchant,
    customerId,
    bankAccount,
    show,
    row,
    payout: async (amount = '100') =>
      (await newCngn(merchant, 'payouts', customerId, { amount, bankAccount })).id as string,
    sent: () =>
      world.transactions.filter(
        ({ receiver, trx_type }) => trx_type === 'redeem' && String(receiver).split(':')[1] === accountNumber,
      ).length,
  }
}

/** Makes orders what they were before they were sent, as far as the states of their objects can go back, and waits with them. */
const forget = (ids: readonly string[]) =>
  service.runtime.pool.query(
    `with sends as (update cngn_sends set sent_at = null, reference = null, attempts = 0, next_send_at = 'infinity', next_check_at = null
                     where id = any ($1))
     update cngn_transfers set provider_reference = null, provider_outcome = null where id = any ($1)`,
    [ids],
  )

/** Makes one order due alone, until a worker has looked at it. */
async function tryNow(id: string): Promise<void> {
  const due = (where: string) =>
    service.runtime.pool
      .query(`select from cngn_sends where id = $1 and ${where}`, [id])
      .then(({ rowCount }) => rowCount)
  await service.runtime.pool.query(
    `update cngn_sends set next_send_at = now() - make_interval(secs => 1) where id = $1`,
    [id],
  )
  triggerAll()
  await expect.poll(() => due('next_send_at > now()'), soon).toBe(1)
}

/** The time since an instant is forgotten. */
const forgotten = (from: Date) => ({ from: new Date(from.getTime() - 10_000), to: new Date() })
const secure = (from: Date) => restore?.secure?.(service.runtime.pool, forgotten(from), service.runtime.settings)
const compare = async (from: Date, accountNumber: string) =>
  (await restore?.compare?.(service.runtime, forgotten(from)))?.filter((text) => text.includes(accountNumber.slice(-4)))

test.each([
  ['oldest', '0123400001'],
  ['newest', '0123400003'],
])(
  'of equal orders that a restored database has as waiting, those that were sent are found, and the others are sent once: the %s is due first',
  {
    timeout: 60_000,
  },
  async (first, accountNumber) => {
    const { payout, sent, row, show } = await begin(accountNumber)
    const began = new Date()
    const ids = [await payout(), await payout()]
    await expect.poll(() => after(sent), soon).toBe(2)
    for (const id of ids) await expect.poll(async () => (await row(id)).known, soon).toBe(true)
    await forget(ids)
    const third = await payout()
    await forget([third])
    expect(sent()).toBeLessThanOrEqual(3)
    await secure(began)
    expect(await compare(began, accountNumber)).toEqual([])
    await tryNow(first === 'oldest' ? (ids[0] ?? '') : third)
    const known = async () => {
      await hurry()
      await world.settle()
      return Promise.all([...ids, third].map(async (id) => (await row(id)).known))
    }
    await expect.poll(known, soon).toEqual([true, true, true])
    for (const id of [...ids, third]) await expect.poll(() => show('payouts', id), soon).toBe('completed')
    expect(sent()).toBe(3)
  },
)

test('an order that the database has forgotten altogether is not sent again when it is requested again; an operator settles it', {
  timeout: 60_000,
}, async () => {
  const { bankAccount, payout, sent, row, show } = await begin('0123400002')
  const began = new Date()
  const order = { id: 'forgotten', account: 'merchant', amount: 100_000_000n }
  const budget = { take: async () => undefined, silence: async () => undefined }
  await world.provider.send({ ...order, destination: { type: 'bank', ...bankAccount } }, budget)
  await world.settle()
  expect(await secure(began)).toEqual([])
  const found = await compare(began, '0123400002')
  expect(found).toEqual([
    expect.stringMatching(/^A payout of 100 cNGN \(live\) to …0002 left at .+ without an order: /),
  ])
  // Asked twice, it is kept once.
  expect(await compare(began, '0123400002')).toEqual(found)
  const again = await payout()
  await expect.poll(async () => (await after(() => row(again))).attention, soon).toBe('outcome_unknown')
  const other = await payout('150')
  await expect.poll(async () => (await after(() => row(other))).known, soon).toBe(true)
  for (let lists = 0; lists < 3; lists++) {
    await hurry()
    await pause(700)
  }
  expect(sent()).toBe(2)
  expect(await row(again)).toMatchObject({
    sent: true,
    known: false,
    status: 'processing',
    attention: 'outcome_unknown',
  })
  const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  const settled = await call(service, `POST /v1/admin/ops/cngn/transfers/${again}/settle`, {
    ...{ token, key: null },
    body: { outcome: 'completed', evidence: 'The bank has it', reason: 'It is the forgotten request' },
  })
  expect(settled.status, settled.text).toBe(200)
  // What was forgotten is accounted for: the next equal order is a new one.
  const next = await payout()
  await expect.poll(async () => (await after(() => row(next))).known, soon).toBe(true)
  await world.settle()
  await expect.poll(() => show('payouts', next), soon).toBe('completed')
  expect(sent()).toBe(3)
})
