import { describe, expect, test } from 'vitest'
import type { ProviderTransaction } from '../../provider/provider.ts'
import { type Decision, decide, type Evidence, NOT_INITIATED, type OrderInDoubt } from './evidence.ts'
import { ANYWHERE } from './fingerprint.ts'

const CLAIMED = Date.UTC(2026, 10, 28, 12)
const at = (seconds: number) => new Date(CLAIMED + seconds * 1000)
const POLICY = { knowsOrders: false, certainAfterSeconds: 300, listsApartSeconds: 120 }

/** An order of 1,000 whose call failed after ten seconds. */
const order = (more: Partial<OrderInDoubt> = {}): OrderInDoubt => ({
  ...{ id: 'order', status: 'unresolved', amount: 1_000_000_000n, channel: 'payout', target: '0123456789' },
  ...{ firstSentAt: at(0), sentUntil: at(0), failedAt: at(10), refusal: null, equalsInDoubt: 0 },
  ...{ absentSince: at(180), surplus: 0n, attempts: 1, waits: false },
  ...more,
})
const movement = (more: Partial<ProviderTransaction> = {}): ProviderTransaction => ({
  ...{ reference: 'M', channel: 'payout', status: 'pending', asset: 'cNGN', amount: 1_000_000_000n, fee: 0n },
  ...{ convertedAmount: null, targets: ['0123456789'], txHash: null, failureReason: null, outcomeUnknown: false },
  at: at(2),
  ...more,
})
/** A complete list, read eight minutes after the claim, that shows nothing, and a treasury that has everything. */
const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  ...{ began: at(480), complete: true, readable: true, strangers: [], references: new Set<string>(), known: [] },
  movedElsewhereAt: null,
  treasury: { balance: 5_000_000_000n, journal: 5_000_000_000n, unbooked: 0n, leaving: 1_000_000_000n },
  ...more,
})
const shows = (...movements: ProviderTransaction[]): Evidence =>
  evidence({ strangers: movements.map((each) => ({ movement: each, listedAt: at(60) })) })
const decided = (of: OrderInDoubt, by: Evidence, policy = POLICY): Decision | undefined =>
  decide([of], by, policy).get('order')
const again = { do: 'send_again' }
const nothing = { do: 'nothing' }

describe('an order without an answer', () => {
  test('is sent again after two complete lists, minutes apart, that show nothing, while the treasury has its money', () => {
    expect(decided(order(), evidence())).toEqual(again)
  })

  test.each<[string, Partial<OrderInDoubt>, Partial<Evidence>, Decision]>([
    ['the first list', { absentSince: null }, {}, { do: 'note_absent' }],
    ['a second list too soon', { absentSince: at(400) }, {}, { do: 'nothing' }],
    ['an incomplete list', {}, { complete: false }, { do: 'nothing' }],
    ['a list that was read before the call failed', { failedAt: at(490) }, {}, { do: 'nothing' }],
    ['a call that may still be answered', { status: 'claimed', failedAt: null }, {}, { do: 'nothing' }],
    ['a treasury that was not read', {}, { treasury: null }, { do: 'nothing' }],
    [
      'a treasury that is compared with what left another account',
      {},
      { movedElsewhereAt: at(60) },
      { do: 'wait', seen: false, tell: false },
    ],
  ])('is not sent again by %s', (_what, of, by, expected) => {
    expect(decided(order(of), evidence(by))).toEqual(expected)
  })

  test('is sent again although money moved in another account before it', () => {
    expect(decided(order(), evidence({ movedElsewhereAt: at(-60) }))).toEqual(again)
  })

  test.each([
    ['that cannot be read', { readable: false }],
    ['that leaves out what is known from its time', { known: [{ reference: 'K', at: at(-60) }] }],
    ['that leaves out the last movement before it', { known: [{ reference: 'K', at: at(-86_400) }] }],
  ])('waits for a list without an element %s', (_what, by) => {
    expect(decided(order(), evidence(by))).toMatchObject({ do: 'wait', seen: true })
  })

  test.each<[string, bigint, bigint, bigint]>([
    ['its money is gone', 4_000_000_000n, 5_000_000_000n, 0n],
    [
      'its money is gone, and other money arrived that is listed and not booked',
      5_500_000_000n,
      5_000_000_000n,
      1_500_000_000n,
    ],
    ['its money is gone, and other money arrived that no list shows', 5_500_000_000n, 5_000_000_000n, 0n],
    ['as much as is missing arrived and is not booked', 5_000_000_000n, 5_000_000_000n, 1_000_000_000n],
  ])('waits while, by the treasury, %s', (_what, balance, journal, unbooked) => {
    const treasury = { balance, journal, unbooked, leaving: 1_000_000_000n }
    expect(decided(order(), evidence({ treasury }))).toMatchObject({ do: 'wait', seen: false })
  })

  test('counts what the treasury had too much before it was claimed', () => {
    const treasury = { balance: 5_250_000_000n, journal: 5_000_000_000n, unbooked: 0n, leaving: 0n }
    expect(decided(order({ surplus: 250_000_000n }), evidence({ treasury }))).toEqual(again)
    expect(decided(order({ surplus: 1_250_000_000n }), evidence({ treasury }))).toMatchObject({
      do: 'wait',
      tell: true,
    })
  })

  test('is not sent a sixth time: operators are told', () => {
    expect(decided(order({ attempts: 5 }), evidence())).toEqual({ do: 'wait', seen: false, tell: true })
  })
})

describe('an answer that nothing was initiated', () => {
  const refused = order({ refusal: NOT_INITIATED, absentSince: null })
  test('is believed by a complete list that was read after it and shows nothing', () => {
    const early = evidence({ began: at(12), treasury: null })
    expect(decided(refused, early)).toEqual(again)
    expect(decided(order({ refusal: 'payout_failed', absentSince: null }), early)).toEqual({ do: 'refused' })
  })
  test('is not believed by a list from before, an incomplete one, or one that leaves out what is known', () => {
    expect(decided(refused, evidence({ began: at(10) }))).toEqual(nothing)
    expect(decided(refused, evidence({ began: at(12), complete: false }))).toEqual(nothing)
    const partial = evidence({ began: at(12), known: [{ reference: 'K', at: at(-60) }] })
    expect(decided(refused, partial)).toMatchObject({ do: 'wait' })
  })
  test('is not believed while the list has a movement with its fingerprint that has not failed', () => {
    expect(decided(refused, shows(movement()))).toEqual({ do: 'find', reference: 'M' })
    expect(decided(refused, shows(movement({ amount: null })))).toMatchObject({ do: 'wait', seen: true })
    expect(decided(refused, shows(movement({ status: 'failed' })))).toEqual(again)
  })
})

describe('a movement', () => {
  test('of the first attempt is the order, however often it was sent since', () => {
    const late = order({ attempts: 2, sentUntil: at(400), failedAt: at(410), absentSince: null })
    expect(decided(late, shows(movement({ at: at(5) })))).toEqual({ do: 'find', reference: 'M' })
  })
  test('that a list showed before the first attempt, or that was made before, is not the order', () => {
    const before = evidence({ strangers: [{ movement: movement({ at: null }), listedAt: at(-1) }] })
    expect(decided(order(), before)).toEqual(again)
    expect(decided(order(), shows(movement({ at: at(-300) })))).toEqual(again)
  })
  test.each<[string, Partial<ProviderTransaction>]>([
    ['whose lasting reference is not known', { provisional: true }],
    ['without an amount', { amount: null }],
    ['without a destination', { targets: [] }],
    ['without a time', { at: null }],
    ['of long after the call', { at: at(400) }],
  ])('%s may be the order, and decides nothing', (_what, more) => {
    expect(decided(order(), shows(movement(more)))).toMatchObject({ do: 'wait', seen: true })
  })
  test('that fits two orders, or a second one that fits, decides nothing', () => {
    const both = decide([order(), order({ id: 'other' })], shows(movement()), POLICY)
    expect([...both.values()].map(({ do: what }) => what)).toEqual(['wait', 'wait'])
    expect(decided(order(), shows(movement(), movement({ reference: 'N' })))).toMatchObject({ do: 'wait' })
    const equals = order({ equalsInDoubt: 1 })
    expect(decided(equals, shows(movement(), movement({ reference: 'N' })))).toEqual({ do: 'find', reference: 'M' })
  })
  test.each<[string, Partial<ProviderTransaction>]>([
    ['to another account', { targets: ['9999999999'] }],
    ['of another amount', { amount: 2_000_000_000n }],
    ['over another channel', { channel: 'withdrawal' }],
  ])('%s is not the order', (_what, more) => {
    expect(decided(order(), shows(movement(more)))).toEqual(again)
  })
})

test('a movement of its amount may be an order whose destination is not known, and decides nothing of it, but of an order to its destination', () => {
  const unknown = order({ target: ANYWHERE, waits: true })
  expect(decided(unknown, shows(movement()))).toMatchObject({ do: 'wait', seen: true })
  expect(decided(unknown, shows(movement({ amount: 2_000_000_000n })))).toEqual(again)
  const both = decide([order(), { ...unknown, id: 'unknown' }], shows(movement()), POLICY)
  expect([...both.values()].map(({ do: what }) => what)).toEqual(['find', 'wait'])
})

test('of what waits for a second person, a provider that recognises its orders is asked twice before it counts as not sent', () => {
  const policy = { knowsOrders: true, certainAfterSeconds: 5, listsApartSeconds: 120 }
  const at480 = evidence({ treasury: null })
  expect(decided(order({ waits: true, absentSince: null }), at480, policy)).toEqual({ do: 'note_absent' })
  expect(decided(order({ waits: true, absentSince: at(400) }), at480, policy)).toEqual(nothing)
  expect(decided(order({ waits: true }), at480, policy)).toEqual(again)
})

test('a provider that recognises its orders is asked again once its list should have shown the order', () => {
  const policy = { ...POLICY, knowsOrders: true, certainAfterSeconds: 5 }
  const claimed = order({ status: 'claimed', failedAt: null, absentSince: null })
  expect(decided(claimed, evidence({ began: at(4), treasury: null }), policy)).toEqual(nothing)
  expect(decided(claimed, evidence({ began: at(6), treasury: null }), policy)).toEqual(again)
})
