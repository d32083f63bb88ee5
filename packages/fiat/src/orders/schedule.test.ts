import { expect, test } from 'vitest'
import { nextPoll, type Pollable } from './schedule.ts'

const order = (given: Partial<Pollable>): Pollable => ({ status: 'pending', updatedAt: new Date(0), ...given })

/** The intervals of the polls of an order that does not change, in seconds. */
function intervals(of: Pollable, count: number, first = 2): number[] {
  let last = first
  return Array.from({ length: count }, () => {
    const next = nextPoll(of, last, false, 0)
    expect(Math.abs((next?.nextPollAt.getTime() ?? 0) / 1000 - (next?.pollSeconds ?? 0))).toBeLessThanOrEqual(
      (next?.pollSeconds ?? 0) / 5 + 0.001,
    )
    last = next?.pollSeconds ?? 0
    return last
  })
}

test('an order in flight is polled soon after a change and at least once a minute', () => {
  for (const status of ['pending', 'processing', 'settled', 'awaiting_payment']) {
    expect(nextPoll(order({ status }), 60, true, 0)?.pollSeconds).toBe(2)
    expect(intervals(order({ status }), 6)).toEqual([4, 8, 16, 32, 60, 60])
  }
})

test('an unknown outcome is asked for every few seconds, and money that must come back at least once an hour', () => {
  expect(intervals(order({ status: 'processing', providerOutcome: 'unknown' }), 4)).toEqual([4, 5, 5, 5])
  const failed = order({ status: 'failed', receivedAmount: 1n })
  expect(intervals(failed, 12).at(-1)).toBe(3600)
  expect(intervals({ ...failed, refund: { status: 'pending' } }, 12).at(-1)).toBe(60)
})

test('orders that ended leave the queue of orders in flight at once, and are polled for two weeks, up to a day apart', () => {
  for (const ended of [
    order({ status: 'delivered', receivedAmount: 1n }),
    order({ status: 'expired' }),
    order({ status: 'failed' }),
    order({ status: 'failed', receivedAmount: 1n, refund: { status: 'completed' } }),
  ]) {
    expect(nextPoll(ended, 2, true, 0)?.pollSeconds).toBe(600)
    expect(intervals(ended, 9)).toEqual([600, 1200, 2400, 4800, 9600, 19_200, 38_400, 76_800, 86_400])
    expect(nextPoll(ended, 600, false, 14 * 86_400_000 + 1)).toBeNull()
  }
})
