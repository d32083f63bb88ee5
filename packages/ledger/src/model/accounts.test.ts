import { expect, test } from 'vitest'
import { type AccountKey, accountId } from './accounts.ts'

const tenant = { organisationId: '01936f2a-7c1e-7000-8000-000000000001', environment: 'test' } as const
const key: AccountKey = { purpose: 'available', asset: 'USDC' }
const CUSTOMER = '01936f2a-7c1e-7000-8000-00000000002A'

test('the id of an account is the same for ever: postings find the account by it', () => {
  expect(accountId(tenant, key)).toBe('9331d9ba-5c64-8b23-9fef-3fa897b5b661')
  expect(accountId(tenant, { ...key, customerId: CUSTOMER, party: 'relay' })).toBe(
    '0513408f-f4ab-807c-a7fa-fb8056318f29',
  )
})

test('accounts that differ in any part have different ids, and letter case of a UUID makes no difference', () => {
  const others = [
    accountId({ ...tenant, environment: 'live' }, key),
    accountId({ ...tenant, organisationId: CUSTOMER }, key),
    accountId(tenant, { ...key, purpose: 'reserved' }),
    accountId(tenant, { ...key, asset: 'USDT' }),
    accountId(tenant, { ...key, customerId: CUSTOMER }),
    accountId(tenant, { ...key, party: 'relay' }),
  ]
  expect(new Set([accountId(tenant, key), ...others]).size).toBe(7)
  expect(accountId(tenant, { ...key, customerId: CUSTOMER.toLowerCase() })).toBe(
    accountId(tenant, { ...key, customerId: CUSTOMER }),
  )
  expect(accountId(tenant, { ...key, customerId: null, party: '' })).toBe(accountId(tenant, key))
})
