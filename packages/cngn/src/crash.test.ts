import { expect, test } from 'vitest'
import {
  bankTransfer,
  call,
  dyingEverywhere,
  expectConsistent,
  journal,
  newCngn,
  newMerchant,
  signedIn,
  useService,
} from '#testing'
import { balanceOf, enabled, eventsOf, moveOn, readList, sendWaiting, show, verify } from '../test/money.ts'

const service = useService()
const done = ['>pending', 'pending>processing', 'processing>completed']
const advanced = (organisationId: string) =>
  service.runtime.pool.query(
    "update sandbox_cngn_transactions set settles_from = settles_from - interval '3 seconds' where account = $1",
    [organisationId],
  )

test('a crash before any statement of an incoming transfer, the commits included, counts it once', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  await bankTransfer(merchant, customerId, '500')
  await advanced(merchant.organisationId)
  expect(await dyingEverywhere(service, (runtime) => readList(service, merchant, runtime))).toBe(2)
  expect(await balanceOf(merchant, customerId)).toEqual(['500', '0'])
  const { payins, total } = (await merchant.call('GET /v1/cngn/payins')).body.data
  expect([total, await eventsOf(service, payins[0].id)]).toEqual([1, done])
  await expectConsistent(service)
})

test('polls of one account at the same time count each transfer to it once, and leave no object behind', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  for (let round = 1; round <= 4; round++) {
    await bankTransfer(merchant, customerId, '500')
    // Once before it has settled, and once after.
    await Promise.all(Array.from({ length: 4 }, () => readList(service, merchant)))
    await advanced(merchant.organisationId)
    await Promise.all(Array.from({ length: 4 }, () => readList(service, merchant)))
    await readList(service, merchant)
    expect(await balanceOf(merchant, customerId)).toEqual([`${500 * round}`, '0'])
    expect((await merchant.call('GET /v1/cngn/payins')).body.data.total).toBe(round)
  }
  await expectConsistent(service)
})

test('a crash before any statement of a payout, and between them and the call of the provider, pays it once', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '10000')
  const ids: string[] = []
  await dyingEverywhere(service, async (runtime, cut) => {
    ids.push((await newCngn(merchant, 'payouts', customerId, { amount: `${10 + cut}` })).id)
    await sendWaiting(service, merchant, runtime)
  })
  expect(ids.length).toBeGreaterThan(3)
  for (let times = 0; times < 2; times++) {
    // What was claimed and is not in the list was not sent.
    await service.runtime.pool.query(
      "update cngn_sends set sent_at = sent_at - interval '6 seconds' where organisation_id = $1 and reference is null",
      [merchant.organisationId],
    )
    await readList(service, merchant)
    await moveOn(service, merchant)
    await advanced(merchant.organisationId)
    await dyingEverywhere(service, (runtime) => readList(service, merchant, runtime))
  }
  for (const id of ids) {
    expect((await show(merchant, 'payouts', id)).status).toBe('completed')
    expect(await eventsOf(service, id)).toEqual(done)
  }
  const { rows } = await service.runtime.pool.query(
    "select count(*)::int as count, sum(amount)::text as sum from sandbox_cngn_transactions where account = $1 and channel = 'payout'",
    [merchant.organisationId],
  )
  const sum = ids.reduce((all, _id, cut) => all + 10 + cut, 0)
  expect(rows).toEqual([{ count: ids.length, sum: `${sum}000000` }])
  expect(await journal(service, merchant)).toEqual({
    'available cNGN': `${10000 - sum}000000`,
    'external cNGN': `-${10000 - sum}000000`,
  })
  await expectConsistent(service)
})

test('a crash before any statement of a further transfer to a payin makes one payin of it', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  const { id } = await newCngn(merchant, 'payins', customerId, { amount: '500' })
  const pay = () => merchant.call(`POST /v1/sandbox/cngn/payins/${id}/payments`, { body: {} })
  await pay()
  await readList(service, merchant)
  await pay()
  await advanced(merchant.organisationId)
  expect(await dyingEverywhere(service, (runtime) => readList(service, merchant, runtime))).toBe(2)
  expect(await balanceOf(merchant, customerId)).toEqual(['1000', '0'])
  const { payins, total } = (await merchant.call('GET /v1/cngn/payins')).body.data
  expect([total, payins[0].relatedPayinId, await eventsOf(service, payins[0].id)]).toEqual([2, id, done])
  await expectConsistent(service)
})

test('a crash before any statement of a payout whose organisation was suspended holds it, and one in its release sends it once', async () => {
  const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  const ops = (line: string) => call(service, line, { token, key: null, body: { reason: 'A stolen key' } })
  expect((await ops(`POST /v1/admin/ops/organisations/${merchant.organisationId}/suspend`)).status).toBe(200)
  expect(await dyingEverywhere(service, (runtime) => sendWaiting(service, merchant, runtime))).toBe(1)
  const state = async () =>
    (await service.runtime.pool.query('select status, attempts from cngn_sends where id = $1', [id])).rows[0]
  expect(await state()).toEqual({ status: 'held', attempts: 0 })
  expect((await ops(`POST /v1/admin/ops/cngn/transfers/${id}/release`)).status).toBe(200)
  await dyingEverywhere(service, (runtime) => sendWaiting(service, merchant, runtime))
  // What was claimed and is not in the list was not sent.
  await service.runtime.pool.query("update cngn_sends set sent_at = sent_at - interval '6 seconds' where id = $1", [id])
  for (let times = 0; times < 3; times++) {
    await readList(service, merchant)
    await sendWaiting(service, merchant)
    await advanced(merchant.organisationId)
  }
  const { rows } = await service.runtime.pool.query(
    "select 1 from sandbox_cngn_transactions where account = $1 and channel = 'payout'",
    [merchant.organisationId],
  )
  expect([rows.length, (await show(merchant, 'payouts', id)).status]).toEqual([1, 'completed'])
  await expectConsistent(service)
})

test('a crash before any statement of a verification records and announces its result once', async () => {
  const merchant = await newMerchant(service)
  const made = await merchant.call('POST /v1/customers', { body: { name: 'Ada Obi', email: 'crash@example.com' } })
  const { id } = made.body.data
  await merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn: '22212345678' } })
  expect(await dyingEverywhere(service, (runtime) => verify(service, id, runtime))).toBe(1)
  expect((await merchant.call(`GET /v1/customers/${id}`)).body.data.cngn.status).toBe('enabled')
  const { rows } = await service.runtime.pool.query('select type from events where resource_id = $1', [id])
  expect(rows).toEqual([{ type: 'cngn.customer.enabled' }])
})
