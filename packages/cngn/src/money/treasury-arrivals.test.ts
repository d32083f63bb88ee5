import { beforeAll, expect, test } from 'vitest'
import { advance, bankTransfer, call, newMerchant, signedIn, useService } from '#testing'
import { enabled, moveOn } from '../../test/money.ts'
import { compareTreasuries } from './treasury.ts'

const service = useService()
let operator: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
const difference = async () =>
  (await call(service, 'GET /v1/admin/ops/cngn/treasury', { token: operator })).body.data.treasuries[0].difference
const attention = async () =>
  (
    await call(service, 'POST /v1/admin/ops/attention', {
      token: operator,
      key: null,
      body: { kind: 'cngn_treasury' },
    })
  ).body.data.objects

test('money that arrived without a callback is read within a minute, and is neither an error nor for operators until its list was read', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { pool } = service.runtime
  await bankTransfer(merchant, customerId, '70')
  await advance(merchant, 3)
  // Nobody said that it came: the list is read in an hour.
  await pool.query("update cngn_feeds set next_poll_at = now() + interval '1 hour'")
  const due = async () =>
    (await pool.query("select count(*)::int as n from cngn_feeds where environment = 'test' and next_poll_at <= now()"))
      .rows[0].n
  const errors = () => service.logs.join('').split('treasury differs from the journal').length
  const before = errors()
  await compareTreasuries(service.runtime)
  expect([await difference(), await attention(), await due(), errors()]).toEqual([
    '70',
    [],
    (await pool.query("select count(*)::int as n from cngn_feeds where environment = 'test'")).rows[0].n,
    before,
  ])
  await compareTreasuries(service.runtime)
  expect([await attention(), errors()]).toMatchObject([[{ status: 'over' }], before + 1])
  await moveOn(service, merchant)
  await compareTreasuries(service.runtime)
  expect([await difference(), await attention()]).toEqual(['0', []])
})
