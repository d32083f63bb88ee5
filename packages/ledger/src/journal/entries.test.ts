import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AccountKey, accountId, purposes } from '../model/accounts.ts'
import { type Draft, digestOf, linesOf, type Posting, reversalOf } from './entries.ts'

const tenant = { organisationId: '01936f2a-7c1e-7000-8000-000000000001', environment: 'test' } as const
const source = { type: 'adjustment', id: '01936f2a-7c1e-7000-8000-000000000030' }
const key = fc.record({
  purpose: fc.constantFrom(...purposes),
  asset: fc.constantFrom('USDC', 'ETH'),
}) as fc.Arbitrary<AccountKey>
const posting = fc.record({ account: key, amount: fc.bigInt(-3n, 3n) })

test('lines are the postings summed by account, without those of zero, in the order of the account ids', () => {
  fc.assert(
    fc.property(fc.array(posting, { maxLength: 30 }), (postings: Posting[]) => {
      const lines = linesOf(tenant, postings)
      const ids = lines.map((line) => line.accountId)
      expect(ids).toEqual([...new Set(ids)].sort())
      const sums = new Map(postings.map(({ account }) => [accountId(tenant, account), 0n]))
      for (const { account, amount } of postings) {
        const id = accountId(tenant, account)
        sums.set(id, (sums.get(id) ?? 0n) + amount)
        expect(lines.find((line) => line.accountId === id)?.asset ?? account.asset).toBe(account.asset)
      }
      const expected = [...sums].filter(([, amount]) => amount !== 0n)
      expect(new Map(lines.map((line) => [line.accountId, line.amount]))).toEqual(new Map(expected))
    }),
  )
})

test('the digest of an entry is the same for ever, and differs with each part of it', () => {
  const account = { purpose: 'available', asset: 'USDC' } as const
  const lines = linesOf(tenant, [{ account, amount: 5n }])
  const draft = { source, step: 'moved' }
  const first = digestOf(tenant, draft, lines)
  expect(first).toBe('4cedc5f5c92d66c26028f450c403d48ce9bc0fb19278faa58f964c8dbe84c450')
  const others = [
    digestOf({ ...tenant, environment: 'live' }, draft, lines),
    digestOf({ ...tenant, organisationId: source.id }, draft, lines),
    digestOf(tenant, { ...draft, source: { ...source, type: 'swap' } }, lines),
    digestOf(tenant, { ...draft, source: { ...source, id: tenant.organisationId } }, lines),
    digestOf(tenant, { ...draft, step: 'other' }, lines),
    digestOf(tenant, { ...draft, reverses: 'moved' }, lines),
    digestOf(tenant, { ...draft, memo: 'moved' }, lines),
    digestOf(tenant, draft, linesOf(tenant, [{ account, amount: 6n }])),
    digestOf(tenant, draft, linesOf(tenant, [{ account: { ...account, asset: 'ETH' }, amount: 5n }])),
    digestOf(tenant, draft, []),
  ]
  expect(new Set([first, ...others]).size).toBe(11)
})

test('a reversal names the step that it reverses, and undoes each of its postings', () => {
  fc.assert(
    fc.property(fc.array(posting), (postings: Posting[]) => {
      const draft: Draft = { source, step: 'moved', postings }
      const reversal = reversalOf(draft)
      expect(reversal).toEqual({
        source,
        step: 'moved.reversal',
        reverses: 'moved',
        postings: postings.map(({ account, amount }) => ({ account, amount: -amount })),
      })
      expect(linesOf(tenant, [...postings, ...reversal.postings])).toEqual([])
    }),
  )
  expect(reversalOf({ source, step: 'moved', postings: [] }, 'typed wrong').memo).toBe('typed wrong')
})
