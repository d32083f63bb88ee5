import { expect, test } from 'vitest'
import { type DepositMoney, isRefundHeld, journalDraft, partyOf } from './journal.ts'

const deposit: DepositMoney = {
  provider: 'relay',
  id: '01936f2a-7c1e-7000-8000-000000000010',
  status: 'pending',
  originAmount: 1000n,
  originCurrency: 'USDC',
  destinationCurrency: 'USDC',
}
const of = (given: Partial<DepositMoney>): DepositMoney => ({ ...deposit, ...given })
/** The entry of a change, as the step and the postings by account. */
function entry(before: Partial<DepositMoney> | undefined, after: Partial<DepositMoney>) {
  const draft = journalDraft(before && of(before), of(after))
  if (!draft) return undefined
  expect(draft.source).toEqual({ type: 'payment_route', id: deposit.id })
  const sums = new Map<string, bigint>()
  for (const { account, amount } of draft.postings) {
    expect(account.party).toBe(['clearing', 'exchange'].includes(account.purpose) ? 'relay' : undefined)
    sums.set(account.asset, (sums.get(account.asset) ?? 0n) + amount)
  }
  expect([...sums.values()].filter((sum) => sum !== 0n)).toEqual([])
  return [
    draft.step,
    Object.fromEntries(draft.postings.map(({ account, amount }) => [`${account.purpose} ${account.asset}`, amount])),
  ]
}
const completed = { status: 'completed', destinationAmount: 990n }

test('a pending deposit is in the provider’s account', () => {
  expect(entry(undefined, {})).toEqual(['received', { 'external USDC': -1000n, 'clearing USDC': 1000n }])
})

test('a delivery leaves the provider’s account; a difference in the same asset is fees', () => {
  expect(entry({}, completed)).toEqual([
    'delivered',
    { 'clearing USDC': -1000n, 'destination USDC': 990n, 'fees USDC': 10n },
  ])
})

test('another amount than was thought while the deposit was pending is the difference', () => {
  expect(entry({ originAmount: 2500n }, completed)).toEqual([
    'delivered',
    { 'external USDC': 1500n, 'clearing USDC': -2500n, 'destination USDC': 990n, 'fees USDC': 10n },
  ])
  expect(entry({ originAmount: null }, completed)).toEqual([
    'delivered',
    { 'external USDC': -1000n, 'destination USDC': 990n, 'fees USDC': 10n },
  ])
  expect(entry({ originCurrency: 'USDT' }, completed)?.[1]).toMatchObject({
    'external USDT': 1000n,
    'clearing USDT': -1000n,
  })
})

test('a delivery in another asset goes through the exchange of the provider', () => {
  expect(entry({}, { status: 'completed', destinationAmount: 5n, destinationCurrency: 'ETH' })).toEqual([
    'delivered',
    { 'clearing USDC': -1000n, 'exchange USDC': 1000n, 'exchange ETH': -5n, 'destination ETH': 5n },
  ])
})

test('a token that this service does not know has no account: only what was delivered is posted', () => {
  const unknown = { originCurrency: '0x6B175474E89094C44Da98b954EedeAC495271d0F', originAmount: 0n }
  expect(entry(undefined, unknown)).toBeUndefined()
  expect(entry(unknown, { ...unknown, ...completed })).toEqual([
    'delivered',
    { 'exchange USDC': -990n, 'destination USDC': 990n },
  ])
})

test('a deposit that failed is in suspense', () => {
  expect(entry({}, { status: 'failed' })).toEqual(['stranded', { 'clearing USDC': -1000n, 'suspense USDC': 1000n }])
})

test('a returned deposit is nowhere; one that came back to this service is in suspense until it is settled', () => {
  expect(entry({}, { status: 'refunded', refundOwner: 'organisation' })).toEqual([
    'returned',
    { 'external USDC': 1000n, 'clearing USDC': -1000n },
  ])
  const held = { status: 'refunded', refundOwner: 'service' }
  expect(entry({}, held)).toEqual(['returned', { 'clearing USDC': -1000n, 'suspense USDC': 1000n }])
  expect(entry(held, { ...held, settledAt: new Date() })?.[1]).toEqual({
    'suspense USDC': -1000n,
    'external USDC': 1000n,
  })
})

test('from any state to any other the entries add up to the state that is reached last', () => {
  const states = [
    {},
    completed,
    { status: 'failed' },
    { status: 'refunded' },
    { status: 'refunded', refundOwner: 'service' },
  ]
  for (const a of states)
    for (const b of states)
      for (const c of states) {
        const total = new Map<string, bigint>()
        for (const [before, after] of [
          [undefined, a],
          [a, b],
          [b, c],
        ] as const)
          for (const [account, amount] of Object.entries((entry(before, after)?.[1] ?? {}) as Record<string, bigint>))
            total.set(account, (total.get(account) ?? 0n) + amount)
        const sum = Object.fromEntries([...total].filter(([, amount]) => amount !== 0n))
        expect(sum).toEqual(entry(undefined, c)?.[1] ?? {})
      }
})

test('a deposit of zero posts nothing, whatever becomes of it', () => {
  for (const status of ['pending', 'completed', 'refunded', 'failed'])
    expect(entry(undefined, { status, originAmount: 0n })).toBeUndefined()
})

test('a delivery of an unknown amount is in suspense', () => {
  expect(entry({}, { status: 'completed', destinationAmount: null })).toEqual([
    'delivered',
    { 'clearing USDC': -1000n, 'suspense USDC': 1000n },
  ])
})

test('only a refund is held for this service, and only until it is settled', () => {
  const owner = { refundOwner: 'service' }
  expect([
    isRefundHeld(of({ ...owner, status: 'refunded' })),
    isRefundHeld(of({ ...owner, status: 'completed' })),
    isRefundHeld(of({ ...owner, status: 'refunded', settledAt: new Date() })),
    isRefundHeld(of({ refundOwner: 'payer', status: 'refunded' })),
  ]).toEqual([true, false, false, false])
})

test('each provider has accounts of its own, and the sandbox those of Relay', () => {
  expect(['relay', 'near-intents', 'sandbox'].map(partyOf)).toEqual(['relay', 'near-intents', 'relay'])
})
