import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesAfter, type Row } from './statement.ts'

const KINDS = ['adjustment', 'cngn_convert', 'cngn_payin', 'cngn_payout', 'cngn_withdrawal']

/** The life of a balance that is never below zero: movements of days, each of which takes at most what there is. */
const lives = fc
  .array(
    fc.record({
      day: fc.integer({ min: 1, max: 4 }),
      kind: fc.constantFrom(...KINDS),
      incoming: fc.boolean(),
      part: fc.integer({ min: 1, max: 1000 }),
      fee: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    const sums = new Map<string, { received: bigint; paid: bigint; fees: bigint }>()
    let balance = 0n
    /** Every balance that there was, by the day, in the order of the entries. */
    const held = new Map<string, bigint[]>()
    for (const { day, kind, incoming, part, fee } of steps.toSorted((a, b) => a.day - b.day)) {
      const date = `2026-01-0${day}`
      const fees = balance < BigInt(fee) ? 0n : BigInt(fee)
      const [received, paid] = incoming ? [BigInt(part), 0n] : [0n, ((balance - fees) * BigInt(part)) / 1000n]
      const key = `${date} ${kind}`
      const old = sums.get(key) ?? { received: 0n, paid: 0n, fees: 0n }
      sums.set(key, { received: old.received + received, paid: old.paid + paid, fees: old.fees + fees })
      balance += received - paid - fees
      held.set(date, [...(held.get(date) ?? []), balance])
    }
    const rows: Row[] = [...sums].sort().map(([key, { received, paid, fees }]) => {
      const [date = '', kind = ''] = key.split(' ')
      return { asset: 'cNGN', date, kind, received: `${received}`, paid: `${paid}`, fees: `${fees}` }
    })
    return { rows, held }
  })

test('each balance of a statement was there at some moment of its day: the last one', () => {
  fc.assert(
    fc.property(lives, ({ rows, held }) => {
      const lines = linesAfter(0n, rows)
      expect(lines.length).toBe(rows.length)
      for (const { date, balance } of lines) {
        expect(held.get(date)).toContain(balance)
        expect(balance).toBe(held.get(date)?.at(-1))
      }
    }),
    { numRuns: 500 },
  )
})

test('a day on which 5,000 came after 8,000 had left never shows the 13,000 that there never were, nor less than nothing', () => {
  const row = (date: string, kind: string, received: string, paid: string): Row => ({
    ...{ asset: 'cNGN', fees: '0' },
    ...{ date, kind, received, paid },
  })
  const rows = [
    row('2026-01-05', 'cngn_payin', '8000', '0'),
    row('2026-01-06', 'cngn_convert', '0', '8000'),
    row('2026-01-06', 'cngn_payin', '5000', '0'),
  ]
  expect(linesAfter(0n, rows).map(({ kind, balance }) => [kind, balance])).toEqual([
    ['cngn_payin', 8000n],
    ['cngn_convert', 5000n],
    ['cngn_payin', 5000n],
  ])
})
