import { beforeAll, expect, test } from 'vitest'
import {
  call,
  dyingEverywhere,
  expectConsistent,
  journal,
  type Merchant,
  newCngn,
  newMerchant,
  signedIn,
  useService,
} from '#testing'
import { ambiguousTransfer, balanceOf, enabled, moveOn } from '../test/money.ts'

const service = useService()
let operator: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
const ops = (line: string, body: object) =>
  call(service, line.replace(' ', ' /v1/admin/ops/'), {
    token: operator,
    key: null,
    body: { reason: 'Asked for', ...body },
  })

/** A customer and receipts in suspense: transfers that name more than one payin. */
async function suspended(
  ...amounts: string[]
): Promise<{ merchant: Merchant; customerId: string; receipts: string[] }> {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  for (const amount of amounts) await ambiguousTransfer(service, merchant, customerId, amount)
  await moveOn(service, merchant, 3)
  const { rows } = await service.runtime.pool.query(
    "select id from cngn_receipts where organisation_id = $1 and status = 'suspense' order by amount",
    [merchant.organisationId],
  )
  return { merchant, customerId, receipts: rows.map(({ id }) => id) }
}
const assign = ({ merchant, customerId }: { merchant: Merchant; customerId: string }, id: string) =>
  ops(`POST cngn/suspense/${id}/assign`, { organisationId: merchant.organisationId, customerId })
const move = ({ merchant, customerId }: { merchant: Merchant; customerId: string }, amount: string, to = 'available') =>
  ops('POST ledger/suspense/resolve', {
    ...{ organisationId: merchant.organisationId, environment: 'test', asset: 'cNGN', amount, to },
    ...(to === 'available' ? { customerId } : {}),
  })
const end = (id: string, outcome: string) => ops(`POST cngn/suspense/${id}/settle`, { outcome, evidence: 'Statement' })

test('what arrived is credited once, whichever of the two commands takes it out of suspense', async () => {
  const one = await suspended('4000', '6000')
  expect((await move(one, '5000')).status).toBe(200)
  const answers = [await assign(one, one.receipts[1] ?? ''), await assign(one, one.receipts[0] ?? '')]
  expect(answers.map(({ status, body }) => [status, status === 409 && body.message])).toEqual([
    [409, 'The money is not in suspense any more'],
    [200, false],
  ])
  expect(await balanceOf(one.merchant, one.customerId)).toEqual(['9000', '0'])
  expect(await journal(service, one.merchant)).toMatchObject({ 'suspense cNGN': '1000000000' })
  expect((await move(one, '1001')).status).toBe(422)
  expect((await move(one, '1000')).status).toBe(200)
  expect(await balanceOf(one.merchant, one.customerId)).toEqual(['10000', '0'])
  await expectConsistent(service, 'others')
})

test('commands at the same time take no more than is there', async () => {
  for (let round = 0; round < 3; round++) {
    const one = await suspended('5000')
    const answers = await Promise.all([
      assign(one, one.receipts[0] ?? ''),
      move(one, '5000'),
      assign(one, one.receipts[0] ?? ''),
      move(one, '5000', 'fees'),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await journal(service, one.merchant))['suspense cNGN']).toBeUndefined()
  }
  await expectConsistent(service, 'others')
})

test('a receipt whose money an entry has moved is ended by a command, not before; one that was sent back leaves suspense', async () => {
  const one = await suspended('4000', '6000')
  const [less = '', more = ''] = one.receipts
  expect((await end(more, 'resolved')).body.message).toBe('The money is still in suspense')
  await move(one, '6000', 'fees')
  expect((await end(more, 'resolved')).status).toBe(200)
  expect((await end(more, 'resolved')).status).toBe(409)
  expect((await end(less, 'resolved')).status).toBe(409)
  expect((await end(less, 'returned')).status).toBe(200)
  expect(await journal(service, one.merchant)).toEqual({ 'fees cNGN': '6000000000', 'external cNGN': '-6000000000' })
  const { body } = await call(service, 'POST /v1/admin/ops/attention', {
    ...{ token: operator, key: null },
    body: { kind: 'cngn_receipt' },
  })
  expect(body.data.objects.filter(({ id }: { id: string }) => one.receipts.includes(id))).toEqual([])
  await expectConsistent(service, 'others')
})

test('a payment that failed at once and is then approved is credited to the payin that still waits', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  const payin = await newCngn(merchant, 'payins', customerId)
  await merchant.call(`POST /v1/sandbox/cngn/payins/${payin.id}/payments`, { body: { amount: '700' } })
  const { pool } = service.runtime
  // The receipt of a declined payment.
  await pool.query(
    `insert into cngn_receipts (id, environment, account, reference, status, asset, amount, fee, targets, received_at, created_at)
     select gen_random_uuid(), 'test', account, reference, 'failed', 'cNGN', amount, 0, targets, now(), now()
       from sandbox_cngn_transactions where account = $1`,
    [merchant.organisationId],
  )
  expect(await dyingEverywhere(service, (runtime) => moveOn(service, merchant, 3, runtime))).toBe(2)
  expect(await balanceOf(merchant, customerId)).toEqual(['700', '0'])
  await expectConsistent(service, 'others')
})
