import { type CngnProvider, cngnProvider } from '@payments/cngn'
import { bind } from '@payments/kernel'
import { domainsOf } from '@payments/platform'
import { afterAll, beforeEach, expect, test } from 'vitest'
import {
  call,
  enabledCustomer,
  expectConsistent,
  newCngn,
  newMerchant,
  pause,
  signedIn,
  soon,
  useService,
} from '#testing'
import { x25519BySodium } from '../test/seal.ts'
import { QUICK, startCngn } from '../test/server.ts'
import { cngnMerchant } from './cngn.ts'

const OWN = 'cngn_live_0123456789'
const ANEW = 'cngn_live_made_anew_0123456789'
const ANOTHER = 'cngn_live_another_0123456789'

const world = await startCngn(QUICK)
afterAll(() => world.close())
const withKey = (apiKey: string): CngnProvider =>
  cngnMerchant({
    ...{ baseUrl: world.url, apiKey, encryptionKey: world.encryptionKey, secret: x25519BySodium(world.key.seed) },
    ...{ webhookSecret: 'callback secret', requestsPerMinute: 6000, timeoutMs: 2000, ...QUICK },
  })
let now = withKey(OWN)
/** The adapter as a process has it that was started with the key of now. */
const adapter = new Proxy({} as CngnProvider, { get: (_target, name) => Reflect.get(now, name) })
const service = useService({ live: [bind(cngnProvider, 'live', adapter)], worker: true })
beforeEach(() => {
  now = withKey(OWN)
  world.spoil = () => undefined
})

/** Everything is due now, and the tasks that find it run. */
async function hurry(): Promise<void> {
  await service.runtime.pool.query(
    `with feeds as (update cngn_feeds set next_poll_at = now() - make_interval(secs => 1)),
          checks as (update cngn_sends set next_check_at = now() - make_interval(secs => 1) where next_check_at is not null),
          receipts as (update cngn_receipts set next_check_at = now() - make_interval(secs => 1) where next_check_at is not null)
     update cngn_sends set next_send_at = now() - make_interval(secs => 1) where status = 'queued'`,
  )
  for (const { name, work } of domainsOf(service.runtime))
    if (name === 'cngn') for (const task of work?.tasks ?? []) service.runtime.trigger(task.name)
}
const lists = async (times: number) => {
  for (let list = 0; list < times; list++) {
    await hurry()
    await pause(250)
  }
}
const becomes = (what: () => Promise<unknown>, expected: unknown) =>
  expect
    .poll(async () => {
      await hurry()
      return what()
    }, soon)
    .toEqual(expected)

let accounts = 2000
async function begin(balance = '1000') {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  const show = async (kind: string, id: string) => (await merchant.call(`GET /v1/cngn/${kind}/${id}`)).body.data
  const fund = async (amount: string) => {
    const payin = await newCngn(merchant, 'payins', customerId, { amount })
    await world.pay(payin.reference, BigInt(amount) * 1_000_000n)
    await world.settle()
    await becomes(async () => (await show('payins', payin.id)).status, 'completed')
  }
  await fund(balance)
  const accountNumber = `01235${String(++accounts).padStart(5, '0')}`
  return {
    merchant,
    customerId,
    fund,
    paid: () => world.transactions.filter(({ receiver }) => String(receiver).split(':')[1] === accountNumber).length,
    payout: (amount: string) =>
      newCngn(merchant, 'payouts', customerId, { amount, bankAccount: { accountNumber, bankCode: '058' } }),
    payin: (amount: string) => newCngn(merchant, 'payins', customerId, { amount }),
    status: async (kind: string, id: string) => (await show(kind, id)).status,
    balance: async () => (await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)).body.data.available,
    sync: (id: string) =>
      call(service, `POST /v1/admin/ops/cngn/transfers/${id}/sync`, { token, body: { reason: 'Asked for' } }),
    attention: async (id: string) => {
      const body = { organisationId: merchant.organisationId }
      const answer = await call(service, 'POST /v1/admin/ops/attention', { token, key: null, body })
      return answer.body.data.objects
        .filter((each: { id: string }) => each.id === id)
        .map(({ condition, reason }: { condition: string; reason: string }) => [condition, reason])
    },
  }
}
const WAITS = [['unknown', 'other_credentials']]

test('a payout whose answer was lost is not sent a second time by the lists of another account, and goes on with its own key', async () => {
  const stand = await begin()
  world.spoil = (line) => (line === 'POST /redeemAsset' ? 'lost' : undefined)
  const { id } = await stand.payout('100')
  await expect.poll(stand.paid, soon).toBe(1)
  world.spoil = () => undefined

  // The account of the other key has movements of its own and a treasury that is as large as the journal.
  now = withKey(ANOTHER)
  await stand.fund('1000')
  await becomes(() => stand.attention(id), WAITS)
  await lists(16)
  expect([stand.paid(), await stand.status('payouts', id), await stand.attention(id)]).toEqual([1, 'processing', WAITS])

  now = withKey(OWN)
  await world.settle()
  await becomes(async () => [await stand.status('payouts', id), await stand.attention(id)], ['completed', []])
  expect([stand.paid(), await stand.balance()]).toEqual([1, '1900'])
  await expectConsistent(service, 'others')
})

test('a payout that was certainly not sent is sent again with its own key only', async () => {
  const stand = await begin()
  const fault = { status: 400, message: 'Service is currently unavailable. Please try again later.' }
  world.spoil = (line) => (line === 'POST /redeemAsset' ? fault : undefined)
  const { id } = await stand.payout('100')
  const requeued = async () => {
    await hurry()
    const { rows } = await service.runtime.pool.query('select attempts, status from cngn_sends where id = $1', [id])
    return rows[0].status === 'queued' && rows[0].attempts > 0
  }
  await expect.poll(requeued, soon).toBe(true)
  now = withKey(ANOTHER)
  // An attempt that began with its own key is refused until none is under way.
  await becomes(() => stand.attention(id), WAITS)
  world.spoil = () => undefined
  await stand.fund('1000')
  await lists(4)
  expect(stand.paid()).toBe(0)

  now = withKey(OWN)
  await becomes(async () => stand.paid(), 1)
  await world.settle()
  await becomes(async () => [await stand.status('payouts', id), await stand.attention(id)], ['completed', []])
  await expectConsistent(service, 'others')
})

test('a payin whose time has ended does not expire by the lists of another account, and what its payer sent meanwhile counts', async () => {
  const stand = await begin()
  const payin = await stand.payin('300')
  now = withKey(ANOTHER)
  const ofOther = await stand.payin('200')
  await world.pay(payin.reference, 300_000_000n)
  await world.pay(ofOther.reference, 200_000_000n)
  await world.settle()
  await becomes(() => stand.status('payins', ofOther.id), 'completed')
  await service.runtime.pool.query("update cngn_transfers set due_at = now() - interval '2 hours' where id = $1", [
    payin.id,
  ])
  await becomes(() => stand.attention(payin.id), WAITS)
  await lists(4)
  expect(await stand.status('payins', payin.id)).toBe('pending')
  // Hours later, the list is read from where it was left with this key.
  await service.runtime.pool.query(
    `with t as (update cngn_checkpoints set checked_at = checked_at - interval '3 hours'), f as (update cngn_feeds set checked_at = now()) select 1`,
  )

  now = withKey(OWN)
  await becomes(
    async () => [await stand.status('payins', payin.id), await stand.attention(payin.id)],
    ['completed', []],
  )
  expect(await stand.balance()).toBe('1500')
  await expectConsistent(service, 'others')
})

test('a list is read from where it was left with the same key, however long another one was set', async () => {
  const stand = await begin()
  const deposit = await stand.payin('300')
  const reference = await world.pay(deposit.reference, 300_000_000n)
  const movement = world.transactions.find(({ trx_ref }) => trx_ref === reference)
  now = withKey(ANOTHER)
  await stand.fund('100')
  // It arrived two hours ago, before the last list of the other account, and after the last one of this.
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
  if (movement) movement.createdAt = hours(2)
  await service.runtime.pool.query('update cngn_checkpoints set checked_at = $2 where credentials = $1', [
    withKey(OWN).credentials,
    hours(3),
  ])
  await lists(2)
  expect(await stand.status('payins', deposit.id)).toBe('pending')
  now = withKey(OWN)
  await world.settle()
  await becomes(() => stand.status('payins', deposit.id), 'completed')
  expect(await stand.balance()).toBe('1400')
})

test('with a key that was made anew for the same account, everything goes on once an operator has asked, and counts once', async () => {
  const stand = await begin()
  world.spoil = (line) => (line === 'POST /redeemAsset' ? 'lost' : undefined)
  const { id } = await stand.payout('100')
  await expect.poll(stand.paid, soon).toBe(1)
  world.spoil = () => undefined
  const payin = await stand.payin('300')
  now = withKey(ANOTHER)
  expect((await stand.sync(id)).status).toBe(503)
  expect((await stand.sync(id)).body.message).toMatch(/may be of another account$/)

  now = withKey(ANEW)
  await becomes(async () => [await stand.attention(id), await stand.attention(payin.id)], [WAITS, WAITS])
  expect((await stand.sync(id)).status).toBe(200)
  await becomes(async () => stand.attention(payin.id), [])
  await world.pay(payin.reference, 300_000_000n)
  await world.settle()
  await becomes(
    async () => [await stand.status('payouts', id), await stand.status('payins', payin.id)],
    ['completed', 'completed'],
  )
  expect([stand.paid(), await stand.balance(), await stand.attention(id)]).toEqual([1, '1200', []])
  await expectConsistent(service, 'others')
})

test('an operator may ask for an object that waits for no other key', async () => {
  const stand = await begin()
  const { id } = await stand.payout('100')
  expect((await stand.sync(id)).status).toBe(200)
  await becomes(async () => stand.paid(), 1)
  await world.settle()
  await becomes(() => stand.status('payouts', id), 'completed')
})
