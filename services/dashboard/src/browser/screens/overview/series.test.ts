import { expect, test } from 'vitest'
import { inUnit, isOnItsWay, type ReportedDay, seriesOf, ticksTo } from './series.ts'

const day = (date: string, kind: string, asset: string, succeededAmount: string, count = 1): ReportedDay => ({
  ...{ date, kind, asset, count, succeededAmount },
})

test('a chart has each day of the period, exact, beside the same day of the period before', () => {
  const series = seriesOf(
    [
      day('2026-01-02', 'collection', 'USDC', '0.1'),
      day('2026-01-02', 'payment_route', 'USDC', '0.2'),
      day('2026-01-03', 'offramp', 'USDC', '5'),
      day('2025-12-31', 'collection', 'USDC', '7', 2),
    ],
    '2026-01-02',
    '2026-01-03',
  )
  expect(
    series.map(({ name, unit, days }) => [name, unit, days.map(({ value, before }) => `${value}/${before}`)]),
  ).toEqual([
    ['Came in, USDC', 'USDC', ['0.3/7', '0/0']],
    ['Went out, USDC', 'USDC', ['0/0', '5/0']],
    ['Number of transactions', 'transactions', ['2/2', '1/0']],
  ])
  expect(seriesOf([], '2026-01-02', '2026-01-03')).toEqual([])
})

test('what waits for its deposit is no money on its way', () => {
  const is = (kind: string, status: string) => isOnItsWay({ kind, status })
  expect([is('offramp', 'pending'), is('cngn_payin', 'pending'), is('offramp', 'delivered')]).toEqual(
    Array(3).fill(false),
  )
  expect([is('offramp', 'processing'), is('payment_route', 'pending'), is('swap', 'swapping')]).toEqual(
    Array(3).fill(true),
  )
})

test('an axis begins at 0, ends at or above the largest value, and has at most five steps that people read', () => {
  expect(ticksTo(1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
  expect(ticksTo(7)).toEqual([0, 2, 4, 6, 8])
  expect(ticksTo(1250)).toEqual([0, 500, 1000, 1500])
  expect(ticksTo(0)).toEqual([0, 1])
  for (const most of [0.000001, 0.3, 3, 9.99, 10, 99, 12_345, 1e12]) {
    const ticks = ticksTo(most)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
    expect(ticks.length).toBeLessThanOrEqual(6)
  }
})

test('a value is said with its unit', () => {
  expect([inUnit('1250.5', 'USDC'), inUnit('1', 'transactions'), inUnit('0', 'transactions')]).toEqual([
    '1,250.5 USDC',
    '1 transaction',
    '0 transactions',
  ])
})
