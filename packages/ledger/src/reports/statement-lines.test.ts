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
    const ends = new Map<string, bigint>()
    for (const { day, kind, incoming, part, fee } of steps.toSorted((a, b) => a.day - b.day)) {
      const date = `2026-01-0${day}`
      const fees = balance < BigInt(fee) ? 0n : BigInt(fee)
      const [received, paid] = incoming ? [BigInt(part), 0n] : [0n, ((balance - fees) * BigInt(part)) / 1000n]
      const key = `${date} ${kind}`
      const old = sums.get(key) ?? { received: 0n, paid: 0n, fees: 0n }
      sums.set(key, { received: old.received + received, paid: old.paid + paid, fees: old.fees + fees })
      balance += received - paid - fees
      ends.set(date, balance)
    }
    const rows: Row[] = [...sums].sort().map(([key, { received, paid, fees }]) => {
      const [date = '', kind = ''] = key.split(' ')
      return { asset: 'cNGN', date, kind, received: `${received}`, paid: `${paid}`, fees: `${fees}` }
    })
    return { rows, ends }
  })

test('no balance of a statement is below those with which its day began and ended, and the last of a day is that of its end', () => {
  fc.assert(
    fc.property(lives, ({ rows, ends }) => {
      let before = 0n
      for (const [date, after] of ends) {
        const own = linesAfter(0n, rows).filter((line) => line.date === date)
        expect(own.at(-1)?.balance).toBe(after)
        const least = before < after ? before : after
        for (const { balance } of own) expect(balance >= least, `${date}: ${balance} is below ${least}`).toBe(true)
        before = after
      }
    }),
    { numRuns: 500 },
  )
})

test('a convert of what was paid in on the same day is after it, although its kind is sorted first', () => {
  const row = (kind: string, received: string, paid: string) => ({
    date: '2026-01-05',
    kind,
    received,
    paid,
    fees: '0',
  })
  const rows = [row('cngn_convert', '0', '5000'), row('cngn_payin', '8000', '0'), row('adjustment', '0', '1')]
  const lines = linesAfter(
    0n,
    rows.map((each): Row => ({ asset: 'cNGN', ...each })),
  )
  expect(lines.map(({ kind, balance }) => [kind, balance])).toEqual([
    ['cngn_payin', 8000n],
    ['adjustment', 7999n],
    ['cngn_convert', 2999n],
  ])
})
