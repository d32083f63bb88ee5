import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccountKey } from '../model/accounts.ts'
import { accountsOf, difference, entryOf, transfer } from './drafts.ts'
import type { Posting } from './entries.ts'

const account = accountsOf('first')
const CUSTOMER = '01936f2a-7c1e-7000-8000-000000000020'

test('money with a provider, and money that it exchanges, has an account for each provider; other money has one', () => {
  expect(account('clearing', 'USDC')).toEqual({ purpose: 'clearing', asset: 'USDC', party: 'first' })
  expect(account('exchange', 'USDC')).toEqual({ purpose: 'exchange', asset: 'USDC', party: 'first' })
  expect(account('external', 'USDC')).toEqual({ purpose: 'external', asset: 'USDC' })
  expect(accountsOf()('exchange', 'cNGN')).toStrictEqual({ purpose: 'exchange', asset: 'cNGN' })
  expect(accountsOf()('available', 'cNGN', CUSTOMER)).toEqual({
    purpose: 'available',
    asset: 'cNGN',
    customerId: CUSTOMER,
  })
})

test('an entry of transfers sums to zero and has no posting that moves nothing', () => {
  const [from, to, fees] = [account('external', 'USDC'), account('clearing', 'USDC'), account('fees', 'USDC')]
  const source = { type: 'offramp', id: CUSTOMER }
  const { postings, step } = entryOf(source)('received', ...transfer(25n, from, to), ...transfer(0n, from, fees))
  expect([step, postings]).toEqual([
    'received',
    [
      { account: from, amount: -25n },
      { account: to, amount: 25n },
    ],
  ])
})

test('what is held and the difference are what is wanted, for every account, and equal balances need nothing', () => {
  const accounts: AccountKey[] = [
    account('clearing', 'USDC'),
    accountsOf('second')('clearing', 'USDC'),
    account('external', 'USDC'),
    account('external', 'EURC'),
    account('available', 'cNGN', CUSTOMER),
    account('available', 'cNGN'),
  ]
  const held: AccountKey = { purpose: 'clearing', asset: 'USDC', party: 'first', customerId: null }
  const one = [{ account: account('clearing', 'USDC'), amount: 5n }]
  // A posting that was read back says null where a draft says nothing: it is the same account.
  expect(difference(one, [{ account: held, amount: 5n }])).toEqual([])
  const postings = fc.array(
    fc.record({ account: fc.constantFrom(...accounts), amount: fc.bigInt({ min: -9n, max: 9n }) }),
  )
  const sumOf = (of: readonly Posting[], key: AccountKey) =>
    of.filter((each) => each.account === key).reduce((sum, { amount }) => sum + amount, 0n)
  fc.assert(
    fc.property(postings, postings, (wanted, held) => {
      const missing = difference(wanted, held)
      for (const key of accounts) expect(sumOf(held, key) + sumOf(missing, key)).toBe(sumOf(wanted, key))
      expect(missing.every(({ amount }) => amount !== 0n)).toBe(true)
      expect(difference(wanted, wanted)).toEqual([])
    }),
  )
})
