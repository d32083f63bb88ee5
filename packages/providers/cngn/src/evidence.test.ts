import { cngnProvider } from '@payments/cngn'
import { bind, newId } from '@payments/kernel'
import { domainsOf } from '@payments/platform'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  anyCalls,
  call,
  enabledCustomer,
  expectConsistent,
  type Merchant,
  newCngn,
  newMerchant,
  pause,
  REFUSED,
  signedIn,
  soon,
  useService,
} from '#testing'
import { QUICK, startCngn } from '../test/server.ts'

// What the provider's documents allow, and a service that must neither pay twice nor book what did not happen.

const world = await startCngn(QUICK)
afterAll(() => world.close())
const service = useService({ live: [bind(cngnProvider, 'live', world.provider)], worker: true })
beforeEach(async () => {
  world.spoil = () => undefined
  world.distort = (page) => page
  world.empty = false
  world.short = 0
  world.lateReferences = 0
  world.fees = { fee: 0, vat: 0 }
})

const balanceOf = async (merchant: Merchant, customerId: string) =>
  (await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)).body.data.available
/** Ages a movement until the test has ended: where one of today is missing, the other tests' lists would be incomplete. */
function makeOld(one: { createdAt: string } | undefined): void {
  if (!one) throw new Error('Not listed')
  const { createdAt } = one
  one.createdAt = new Date(Date.now() - 3 * 86_400_000).toISOString()
  onTestFinished(() => void Object.assign(one, { createdAt }))
}
/** Lists and sends are due now, and the tasks that find them run; a worker that waits for a minute would wait in the test. */
const hurry = async () => {
  await service.runtime.pool.query(
    `with feeds as (update cngn_feeds set next_poll_at = now() - make_interval(secs => 1)),
          checks as (update cngn_sends set next_check_at = now() - make_interval(secs => 1) where next_check_at is not null),
          receipts as (update cngn_receipts set next_check_at = now() - make_interval(secs => 1) where next_check_at is not null)
     update cngn_sends set next_send_at = now() - make_interval(secs => 1) where sent_at is null and status <> 'ended'`,
  )
  for (const { name, work } of domainsOf(service.runtime))
    if (name === 'cngn') for (const task of work?.tasks ?? []) service.runtime.trigger(task.name)
}
const after = async <T>(value: Promise<T>): Promise<T> => {
  await hurry()
  return value
}
const show = async (merchant: Merchant, kind: string, id: string) => {
  await hurry()
  return (await merchant.call(`GET /v1/cngn/${kind}/${id}`)).body.data
}
const becomes = (merchant: Merchant, kind: string, id: string, status: string) =>
  expect.poll(async () => (await show(merchant, kind, id)).status, soon).toBe(status)

async function funded(amount = '1000'): Promise<{ merchant: Merchant; customerId: string }> {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount })
  await world.pay(reference, BigInt(amount) * 1_000_000n)
  await world.settle()
  await becomes(merchant, 'payins', id, 'completed')
  return { merchant, customerId }
}
let accounts = 1000
const account = (accountNumber = `01234${String(++accounts).padStart(5, '0')}`) => ({
  bankAccount: { accountNumber, bankCode: '058' },
})
const to = (accountNumber: string) =>
  world.transactions.filter(
    ({ receiver, trx_type }) => trx_type === 'redeem' && String(receiver).split(':')[1] === accountNumber,
  )
const sendOf = async (id: string) =>
  (await service.runtime.pool.query('select attempts, sent_at, reference, error from cngn_sends where id = $1', [id]))
    .rows[0]
const attentionOf = async (id: string) =>
  (await service.runtime.pool.query('select attention from cngn_transfers where id = $1', [id])).rows[0].attention
const operator = async () => (await signedIn(service.runtime, { role: 'operator' })).accessToken
const listedFor = async (id: string) => {
  const { body } = await call(service, 'POST /v1/admin/ops/attention', { token: await operator(), key: null, body: {} })
  return body.data.objects.filter((each: { id: string }) => each.id === id).map(({ kind }: { kind: string }) => kind)
}

test('the failed record of a refused attempt never ends the next one: the bank is paid and nothing is refunded', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  world.short = 1
  // The second attempt's answer is lost.
  let attempts = 0
  world.spoil = (line) => (line === 'POST /redeemAsset' && ++attempts > 1 ? 'lost' : undefined)
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(() => to(to1.bankAccount.accountNumber).length, soon).toBe(1)
  await expect.poll(async () => after(Promise.resolve(to(to1.bankAccount.accountNumber).length)), soon).toBe(2)
  world.spoil = () => undefined
  for (let lists = 0; lists < 4; lists++) {
    await hurry()
    await pause(300)
    expect((await show(merchant, 'payouts', id)).status).toBe('processing')
  }
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  const sent = to(to1.bankAccount.accountNumber)
  expect(sent.map(({ status }) => status)).toEqual(['failed', 'success'])
  expect((await sendOf(id)).reference).toBe(sent[1]?.trx_ref)
  expect(await balanceOf(merchant, customerId)).toBe('900')
  await expectConsistent(service)
})

test('a lost answer and empty lists send nothing a second time', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  world.spoil = (line) => (line === 'POST /redeemAsset' ? 'lost' : undefined)
  world.empty = true
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(() => to(to1.bankAccount.accountNumber).length, soon).toBe(1)
  world.spoil = () => undefined
  for (let lists = 0; lists < 16; lists++) {
    await hurry()
    await pause(200)
  }
  expect([to(to1.bankAccount.accountNumber).length, (await sendOf(id)).attempts]).toEqual([1, 1])
  world.empty = false
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  expect(await balanceOf(merchant, customerId)).toBe('900')
})

test('lists that show everything but the order, and a treasury that fell, send nothing again; operators are told', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  const number = to1.bankAccount.accountNumber
  world.spoil = (line) => (line === 'POST /redeemAsset' ? 'lost' : undefined)
  world.distort = (page) => page.filter(({ receiver }) => String(receiver).split(':')[1] !== number)
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(() => to(number).length, soon).toBe(1)
  world.spoil = () => undefined
  await expect.poll(async () => after(attentionOf(id)), soon).toBe('outcome_unknown')
  expect([to(number).length, (await sendOf(id)).attempts, await listedFor(id)]).toEqual([1, 1, ['cngn_transfer']])
  world.distort = (page) => page
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  expect(await attentionOf(id)).toBe(null)
})

test('an order that never arrived is sent again after two lists, and is paid once', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  let faults = 1
  world.spoil = (line) => (line === 'POST /redeemAsset' && faults-- > 0 ? { status: 500, message: 'x' } : undefined)
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => after(Promise.resolve(to(to1.bankAccount.accountNumber).length)), soon).toBe(1)
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  expect([to(to1.bankAccount.accountNumber).length, (await sendOf(id)).attempts]).toEqual([1, 2])
})

test('a movement made in the dashboard before an order was sent never completes the order', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  const number = to1.bankAccount.accountNumber
  const byHand = world.byHand({ trx_type: 'redeem', amount: '100.00', receiver: `058:${number}:OBI ADA` })
  await world.settle()
  // Operators have booked it.
  await service.runtime.pool.query(
    "insert into cngn_treasury_adjustments (id, environment, amount, evidence, created_at) values ($1, 'live', -100000000, 'Dashboard', now())",
    [newId()],
  )
  const listed = async () => {
    await hurry()
    return (await service.runtime.pool.query('select 1 from cngn_listed where reference = $1', [byHand])).rowCount
  }
  await expect.poll(listed, soon).toBe(1)
  let faults = 1
  world.spoil = (line) => (line === 'POST /redeemAsset' && faults-- > 0 ? { status: 500, message: 'x' } : undefined)
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await after(sendOf(id))).reference, soon).not.toBe(null)
  expect((await sendOf(id)).reference).not.toBe(byHand)
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
})

test('a payout that failed and is then listed as paid is kept and told, and an operator settles it', async () => {
  const { merchant, customerId } = await funded()
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...account(REFUSED) })
  await expect.poll(() => to(REFUSED).length, soon).toBe(1)
  await world.settle()
  await becomes(merchant, 'payouts', id, 'failed')
  expect(await balanceOf(merchant, customerId)).toBe('1000')
  const [paid] = to(REFUSED)
  if (paid) paid.status = 'success'
  await expect.poll(async () => after(attentionOf(id)), soon).toBe('contradicting_report')
  expect((await listedFor(id)).sort()).toEqual(['cngn_transfer', 'provider_report'])
  const settle = (outcome: string) =>
    operator().then((token) =>
      call(service, `POST /v1/admin/ops/cngn/transfers/${id}/settle`, {
        ...{ token, key: null },
        body: { outcome, evidence: 'The bank confirmed it', reason: 'Asked for' },
      }),
    )
  expect((await settle('failed')).status).toBe(409)
  const settled = await settle('completed')
  expect([settled.status, settled.body.data?.status], settled.text).toEqual([200, 'completed'])
  expect([await balanceOf(merchant, customerId), await attentionOf(id), await listedFor(id)]).toEqual(['900', null, []])
  // The same report is not told again.
  await hurry()
  await pause(500)
  expect(await attentionOf(id)).toBe(null)
  await expectConsistent(service)
})

test('a payout that takes days is found by its reference as a transaction, however old it is', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await sendOf(id)).reference, soon).not.toBe(null)
  const [sent] = to(to1.bankAccount.accountNumber)
  if (!sent) throw new Error('Not sent')
  makeOld(sent)
  await service.runtime.pool.query("update cngn_sends set sent_at = sent_at - interval '3 days' where id = $1", [id])
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  expect(world.calls.map(({ line }) => line)).toContain(`GET /transactions/${sent.trx_ref}`)
  expect(world.calls.map(({ line }) => line)).not.toContain(`GET /withdraw/verify/${sent.trx_ref}`)
})

test('a deposit that was declined and is approved days later is credited, once', async () => {
  const { merchant, customerId } = await funded()
  const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '500' })
  const deposit = await world.pay(reference, 500_000_000n)
  await becomes(merchant, 'payins', id, 'processing')
  world.reject(deposit)
  await becomes(merchant, 'payins', id, 'failed')
  makeOld(world.transactions.find(({ trx_ref }) => trx_ref === deposit))
  world.approve(deposit)
  await becomes(merchant, 'payins', id, 'completed')
  expect(await balanceOf(merchant, customerId)).toBe('1500')
  expect(await show(merchant, 'payins', id)).toMatchObject({ failureReason: null, amount: '500' })
  await expectConsistent(service)
})

test('a deposit that gets the hash of its mint, and whose receiver is then an address, stays the payin that it was', async () => {
  const { merchant, customerId } = await funded()
  const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '500' })
  const deposit = await world.pay(reference, 500_000_000n)
  await becomes(merchant, 'payins', id, 'processing')
  const listed = world.transactions.find(({ trx_ref }) => trx_ref === deposit)
  if (listed)
    Object.assign(listed, { receiver: { address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' }, description: null })
  world.approve(deposit)
  await becomes(merchant, 'payins', id, 'completed')
  expect(await balanceOf(merchant, customerId)).toBe('1500')
  const other = await newCngn(merchant, 'payins', customerId, { amount: '200' })
  const minted = await world.pay(other.reference, 200_000_000n)
  const wire = world.transactions.find(({ trx_ref }) => trx_ref === minted)
  if (wire) wire.receiver = { address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' }
  world.approve(minted)
  await becomes(merchant, 'payins', other.id, 'completed')
  expect(await balanceOf(merchant, customerId)).toBe('1700')
  await expectConsistent(service)
})

test('odd records are kept and told, and stop neither the others nor any other organisation', async () => {
  await service.runtime.pool.query('delete from cngn_records')
  const odd = [{}, null, 'x', { trx_type: 'deposit', trx_ref: 'ODD-1', amount: 'NaN' }, { trx_type: 7, id: 'ODD-2' }]
  world.distort = (page) => [...(odd as never[]), ...page]
  const { merchant, customerId } = await funded()
  expect(await balanceOf(merchant, customerId)).toBe('1000')
  const to1 = account()
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(() => to(to1.bankAccount.accountNumber).length, soon).toBe(1)
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  const { body } = await call(service, 'POST /v1/admin/ops/attention', {
    ...{ token: await operator(), key: null },
    body: { kind: 'cngn_record' },
  })
  const reasons = body.data.objects.map(({ reason }: { reason: string }) => reason)
  expect(reasons).toHaveLength(odd.length)
  expect(reasons).toContain('Not as documented: amount: ODD-1')
})

/** Reads some lists, and does all that is due. */
async function readLists(times: number): Promise<void> {
  for (let lists = 0; lists < times; lists++) {
    await hurry()
    await pause(300)
  }
}
/** The next redemption fails like this. */
function failOnce(fault: ReturnType<typeof world.spoil>): void {
  let faults = 1
  world.spoil = (line) => (line === 'POST /redeemAsset' && faults-- > 0 ? fault : undefined)
}

test.each([
  [400, 'Insufficient liquidity at the settlement bank, your redemption is queued'],
  [500, 'Response encryption failed'],
  [400, 'Permission denied by destination bank: under review'],
  [400, 'Could not resolve account details'],
  [400, 'Service is currently unavailable. Please try again later.'],
])('a redemption that the API keeps is paid once, whatever it answers: %s %s', async (status, message) => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  failOnce({ status, message, keeps: true })
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await after(sendOf(id))).reference, soon).not.toBe(null)
  await readLists(4)
  expect([to(to1.bankAccount.accountNumber).length, (await sendOf(id)).attempts]).toEqual([1, 1])
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  expect(await balanceOf(merchant, customerId)).toBe('900')
  await expectConsistent(service)
})

test('an order that the API says it has not initiated is sent again only after a list that was read since', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  const sent = () => world.calls.filter(({ line }) => line === 'POST /redeemAsset').length
  const before = sent()
  let unavailable = true
  world.spoil = (line) =>
    unavailable && line === 'POST /redeemAsset'
      ? { status: 400, message: 'Service is currently unavailable. Please try again later.' }
      : unavailable && line === 'GET /transactions'
        ? { status: 500, message: 'x' }
        : undefined
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await sendOf(id)).error, soon).toBe('The API is not available')
  await readLists(4)
  expect([sent() - before, (await sendOf(id)).sent_at]).toEqual([1, expect.anything()])
  unavailable = false
  await expect.poll(async () => (await after(sendOf(id))).reference, soon).not.toBe(null)
  expect([sent() - before, (await sendOf(id)).attempts]).toEqual([2, 2])
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
})

test('the money of a payout that the API refuses is free only once its list shows nothing of it', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  let broken = true
  world.spoil = (line) =>
    line === 'POST /redeemAsset'
      ? { status: 400, message: 'Could not resolve account details' }
      : broken && line === 'GET /transactions'
        ? { status: 500, message: 'x' }
        : undefined
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await sendOf(id)).error, soon).toBe('invalid_account_number')
  await readLists(3)
  expect([(await show(merchant, 'payouts', id)).status, await balanceOf(merchant, customerId)]).toEqual([
    'processing',
    '900',
  ])
  broken = false
  await becomes(merchant, 'payouts', id, 'failed')
  expect(await show(merchant, 'payouts', id)).toMatchObject({ failureReason: 'invalid_account_number' })
  expect([await balanceOf(merchant, customerId), to(to1.bankAccount.accountNumber).length]).toEqual(['1000', 0])
})

/** A payout whose answer was lost and that no list shows, until operators must be told. */
async function hidden(amount: string) {
  const { merchant, customerId } = await funded('2000')
  const to1 = account()
  const number = to1.bankAccount.accountNumber
  failOnce('lost')
  world.distort = (page) => page.filter(({ receiver }) => String(receiver).split(':')[1] !== number)
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount, ...to1 })
  await expect.poll(() => to(number).length, soon).toBe(1)
  return { merchant, customerId, number, id }
}

test('money that arrives in the same poll does not hide that a payout left: nothing is sent again', async () => {
  const { merchant, customerId, number, id } = await hidden('1000')
  const { reference, id: payin } = await newCngn(merchant, 'payins', customerId, { amount: '1500' })
  // Two lists were read without the payout, and no list is read before the other money is there.
  const absent = async () =>
    (await service.runtime.pool.query('select absent_since from cngn_sends where id = $1', [id])).rows[0].absent_since
  await expect.poll(() => after(absent()), soon).not.toBe(null)
  await world.pay(reference, 1_500_000_000n)
  await world.settle()
  const hiddenFor = world.distort
  world.distort = (page) => hiddenFor(page)
  await readLists(10)
  expect([to(number).length, (await sendOf(id)).attempts]).toEqual([1, 1])
  expect((await show(merchant, 'payins', payin)).status).toBe('completed')
  await expect.poll(async () => after(attentionOf(id)), soon).toBe('outcome_unknown')
  world.distort = (page) => page
  await becomes(merchant, 'payouts', id, 'completed')
  await expectConsistent(service)
})

test.each([
  ['that cannot be read', { trx_type: 'deposit', trx_ref: 'ODD-1', amount: 'NaN' }],
  ['whose amount is not known', { trx_type: 'deposit', trx_ref: 'ODD-2', amount: null, status: 'success' }],
])('nothing is sent again by a list that has money in it %s', async (_what, odd) => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  failOnce({ status: 500, message: 'x' })
  world.distort = (page) => [odd as never, ...page]
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await sendOf(id)).error, soon).toBe('cngn_provider_unavailable')
  await readLists(8)
  expect([to(to1.bankAccount.accountNumber).length, (await sendOf(id)).attempts]).toEqual([0, 1])
  world.distort = (page) => page
  await expect.poll(async () => after(Promise.resolve(to(to1.bankAccount.accountNumber).length)), soon).toBe(1)
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
})

test('a payout is not settled while its call may still be answered: its money is not free', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  failOnce({ lateMs: 1500 })
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await sendOf(id)).sent_at, soon).not.toBe(null)
  const settle = async (transfer: string, outcome: string) => {
    const { status, body } = await call(service, `POST /v1/admin/ops/cngn/transfers/${transfer}/settle`, {
      ...{ token: await operator(), key: null },
      body: { outcome, evidence: 'The bank said so', reason: 'Asked for' },
    })
    return [status, body.message]
  }
  const message = 'The provider may still answer the call for this object; try again in two minutes'
  expect([await settle(id, 'failed'), await settle(id, 'completed')]).toEqual([
    [409, message],
    [409, message],
  ])
  expect(await balanceOf(merchant, customerId)).toBe('900')
  await expect.poll(async () => (await sendOf(id)).reference, soon).not.toBe(null)
  await world.settle()
  await becomes(merchant, 'payouts', id, 'completed')
  // One that was lost may be carried out for as long.
  const other = await hidden('50')
  expect(await settle(other.id, 'failed')).toEqual([409, message])
  world.distort = (page) => page
  await world.settle()
  await becomes(other.merchant, 'payouts', other.id, 'completed')
  await expectConsistent(service)
})

const receiptsOf = async ({ organisationId }: Merchant) =>
  (
    await service.runtime.pool.query(
      'select status, reference, alias from cngn_receipts where organisation_id = $1 order by created_at',
      [organisationId],
    )
  ).rows
/** How far the treasury is from the journal, beside what other tests left: minor units. */
const gap = async () => {
  const { rows } = await service.runtime.pool.query(
    "select sum(balance)::text as held from ledger_accounts where environment = 'live' and asset = 'cNGN' and purpose in ('available', 'reserved', 'suspense')",
  )
  return (await world.provider.treasury(anyCalls)) - BigInt(rows[0].held)
}

test.each(['pending', 'success'])(
  'a deposit that one list shows as %s without its reference, and the next with it, counts once',
  async (status) => {
    const { merchant, customerId } = await funded()
    const before = await gap()
    const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '700' })
    world.lateReferences = 3
    const deposit = await world.pay(reference, 700_000_000n)
    if (status === 'success') await world.settle()
    await becomes(merchant, 'payins', id, status === 'success' ? 'completed' : 'processing')
    expect(await receiptsOf(merchant)).toMatchObject([
      {},
      { alias: null, reference: expect.not.stringMatching(deposit) },
    ])
    world.lateReferences = 0
    await world.settle()
    const named = async () => (await after(receiptsOf(merchant))).map((each) => each.reference)
    await expect.poll(named, soon).toEqual([expect.anything(), deposit])
    await becomes(merchant, 'payins', id, 'completed')
    await readLists(3)
    expect((await receiptsOf(merchant)).map((each) => each.status)).toEqual(['credited', 'credited'])
    expect([await balanceOf(merchant, customerId), await gap()]).toEqual(['1700', before])
    await expectConsistent(service)
  },
)

test('a redemption that is listed without its reference is no other order’s', async () => {
  const { merchant, customerId } = await funded()
  const to1 = account()
  const number = to1.bankAccount.accountNumber
  // The first is accepted, and shown without its reference. An equal one fails without a trace.
  let calls = 0
  world.spoil = (line) => (line === 'POST /redeemAsset' && ++calls === 2 ? { status: 500, message: 'x' } : undefined)
  world.lateReferences = 1000
  const first = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await sendOf(first.id)).reference, soon).not.toBe(null)
  const second = await newCngn(merchant, 'payouts', customerId, { amount: '100', ...to1 })
  await expect.poll(async () => (await after(sendOf(second.id))).error, soon).toBe('cngn_provider_unavailable')
  await readLists(6)
  expect([to(number).length, (await sendOf(second.id)).reference]).toEqual([1, null])
  world.lateReferences = 0
  // What the first took is missing until it has ended.
  await world.settle()
  await becomes(merchant, 'payouts', first.id, 'completed')
  await expect.poll(async () => after(Promise.resolve(to(number).length)), soon).toBe(2)
  await world.settle()
  for (const { id } of [first, second]) await becomes(merchant, 'payouts', id, 'completed')
  expect(await balanceOf(merchant, customerId)).toBe('800')
  await expectConsistent(service)
})

test('who pays the fees of a one-time account has the amount credited, and its treasury is equal to the journal', async () => {
  const { merchant, customerId } = await funded()
  const before = await gap()
  world.fees = { fee: 70, vat: 5 }
  const payin = await newCngn(merchant, 'payins', customerId, { amount: '500' })
  expect(payin).toMatchObject({ amount: '500', account: { amount: '575' } })
  await world.pay(payin.reference, 575_000_000n)
  await becomes(merchant, 'payins', payin.id, 'processing')
  await world.settle()
  await becomes(merchant, 'payins', payin.id, 'completed')
  expect(await show(merchant, 'payins', payin.id)).toMatchObject({ amount: '575', fee: '75' })
  expect([await balanceOf(merchant, customerId), await gap()]).toEqual(['1500', before])
  // A second transfer of as much costs as much.
  await world.pay(payin.reference, 575_000_000n)
  await world.settle()
  const further = async () =>
    (await after(merchant.call('GET /v1/cngn/payins'))).body.data.payins.filter(
      ({ relatedPayinId }: { relatedPayinId: string }) => relatedPayinId === payin.id,
    )
  await expect.poll(further, soon).toMatchObject([{ status: 'completed', amount: '575', fee: '75' }])
  expect([await balanceOf(merchant, customerId), await gap()]).toEqual(['2000', before])
  // Any other amount is what moved, without a fee that nobody has named.
  const other = await newCngn(merchant, 'payins', customerId, { amount: '500' })
  await world.pay(other.reference, 500_000_000n)
  await world.settle()
  await becomes(merchant, 'payins', other.id, 'completed')
  expect(await show(merchant, 'payins', other.id)).toMatchObject({ amount: '500', fee: '0' })
  expect(await balanceOf(merchant, customerId)).toBe('2500')
  await expectConsistent(service)
})

test('names and accounts of persons are in nothing that is kept of the provider', async () => {
  const { merchant, customerId } = await funded()
  const names = {
    receiver: '058:0123456789:NGOZI ADEYEMI',
    description: 'Transfer from CHIDIMMA-ADAEZE',
    from: 'OLUWASEUN',
  }
  world.distort = (page) => [
    { trx_type: 'redeem', trx_ref: 'ODD-NAMES', amount: 'NaN', ...names } as never,
    { trx_type: 'redeem', trx_ref: 'ODD NAMES OF NGOZI', amount: [names], ...names } as never,
    ...page.map((each) => ({ ...each, description: `${each.description} CHIDIMMA-ADAEZE NGOZI ADEYEMI` })),
  ]
  const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '300' })
  await world.pay(reference, 300_000_000n)
  await world.settle()
  await becomes(merchant, 'payins', id, 'completed')
  const { rows } = await service.runtime.pool.query(
    `select string_agg(t, ' ') as kept from (select report || coalesce(reference, '') from cngn_records union all select array_to_string(targets, ' ') from cngn_receipts) k (t)`,
  )
  expect(rows[0].kept).toContain('ODD-NAMES')
  expect(rows[0].kept).toContain(reference)
  expect(rows[0].kept).not.toMatch(/NGOZI|ADEYEMI|CHIDIMMA|OLUWASEUN|0123456789/)
})

test('an element that can be read again, or applied, is no longer on the operators’ list', async () => {
  await funded()
  const odd = { trx_type: 'deposit', id: 'LATER-1', trx_ref: 'LATER-REF-1', status: 'pending' }
  const listed = async () => {
    await hurry()
    const { rows } = await service.runtime.pool.query("select 1 from cngn_records where reference like 'LATER%'")
    return rows.length
  }
  world.distort = (page) => [{ ...odd, amount: 'many' } as never, ...page]
  await expect.poll(listed, soon).toBe(1)
  world.distort = (page) => [{ ...odd, amount: '5.00', createdAt: new Date().toISOString() } as never, ...page]
  await expect.poll(listed, soon).toBe(0)
})

test.each([
  ['the year 0 as its time', { createdAt: '0000-01-01T00:00:00' }],
  ['a time that is none', { createdAt: '2026-99-01 soon' }],
  [
    'half a character in its narration',
    (one: { description: string }) => ({ description: `${one.description} \ud800` }),
  ],
  ['a hash that is none', { status: 'success', explorer_link: '\u0000' }],
])('a deposit with %s is credited', async (_what, odd) => {
  const { merchant, customerId } = await funded()
  const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '300' })
  const deposit = await world.pay(reference, 300_000_000n)
  await world.settle()
  world.distort = (page) =>
    page.map((one) =>
      one.trx_ref === deposit ? { ...one, ...(typeof odd === 'function' ? odd(one) : odd) } : one,
    ) as never
  await becomes(merchant, 'payins', id, 'completed')
  expect(await balanceOf(merchant, customerId)).toBe('1300')
  await expectConsistent(service)
})

test.each([
  ['a reference that no index takes', { trx_ref: 'x'.repeat(3000) }],
  ['U+0000 in its reference', { trx_ref: 'a\u0000 b' }],
  ['a hash of many lines', { base_trx_hash: 'a\nb' }],
  ['the year 0, and an amount that is none', { createdAt: '0000-01-01T00:00:00', amount: 'many' }],
])('an element with %s is kept for operators, and hides no other', async (_what, odd) => {
  const { merchant, customerId } = await funded()
  await service.runtime.pool.query('delete from cngn_records')
  const { id, reference } = await newCngn(merchant, 'payins', customerId, { amount: '300' })
  world.distort = (page) => [
    { trx_type: 'deposit', id: newId(), trx_ref: newId(), amount: '5.00', status: 'success', ...odd } as never,
    ...page,
  ]
  await world.pay(reference, 300_000_000n)
  await world.settle()
  await becomes(merchant, 'payins', id, 'completed')
  const kept = async () =>
    (await after(service.runtime.pool.query("select 1 from cngn_records where reason like 'Not as documented%'")))
      .rowCount
  await expect.poll(kept, soon).toBeGreaterThan(0)
  await expectConsistent(service)
})
