import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { type BudgetedCall, pauseCalls, readBudgets, secondsUntilFree, takeCall } from './budgets.ts'

const service = useService()
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)
/** A limit of 20 calls a minute that no other test uses. */
const budget = (): BudgetedCall => ({
  provider: newId(),
  bucket: 'quotes',
  environment: 'live',
  perMinute: 20,
  purpose: 'in_flight',
  now: at(0),
})
const take = (call: BudgetedCall) => takeCall(service.runtime.pool, call)
const takeMany = async (count: number, call: BudgetedCall) => {
  const waits = await Promise.all(Array.from({ length: count }, () => take(call)))
  return waits.filter((wait) => wait === 0).length
}

test('no 60 seconds contain more calls than the limit, however many processes ask at once', async () => {
  const call = budget()
  expect(await takeMany(30, call)).toBe(20)
  expect(await take({ ...call, now: at(59) })).toBe(1)
  expect(await takeMany(30, { ...call, now: at(61) })).toBe(20)
})

test('new objects leave a quarter of the limit to money that is on its way', async () => {
  const call = budget()
  expect(await takeMany(30, { ...call, purpose: 'new' })).toBe(15)
  expect(await takeMany(30, call)).toBe(5)
})

test('an organisation and a link take no more than their shares, and others still have theirs', async () => {
  const call: BudgetedCall = { ...budget(), purpose: 'new' }
  const [organisation, link, other] = [newId(), newId(), newId()]
  const shares = [
    { id: organisation, percent: 50 },
    { id: link, percent: 20 },
  ]
  expect(await takeMany(30, { ...call, shares })).toBe(4)
  expect(await takeMany(30, { ...call, shares: shares.slice(0, 1) })).toBe(6)
  expect(await takeMany(30, { ...call, shares: [{ id: other, percent: 50 }] })).toBe(5)
})

test('a share of a small limit is still one call', async () => {
  const call = { ...budget(), perMinute: 2, shares: [{ id: newId(), percent: 10 }] }
  expect(await takeMany(3, call)).toBe(1)
})

test('a refused call says when the next one is free, and takes none', async () => {
  const call = budget()
  await takeMany(20, { ...call, now: at(10) })
  expect(await take({ ...call, now: at(30) })).toBe(40)
  expect(await secondsUntilFree(service.runtime.pool, { ...call, now: at(30) })).toBe(40)
  expect(await secondsUntilFree(service.runtime.pool, { ...call, now: at(71) })).toBe(0)
})

test('a pause holds for all processes, and a shorter one does not end it', async () => {
  const { now: _now, ...call } = budget()
  await pauseCalls(service.runtime.pool, { ...call, seconds: 100 })
  await pauseCalls(service.runtime.pool, { ...call, seconds: 1 })
  const wait = await take(call)
  expect(wait).toBeGreaterThan(90)
  expect(wait).toBeLessThanOrEqual(100)
  expect(await take({ ...call, bucket: 'polls' })).toBe(0)
})

test('operators see what is left of each limit, and nothing of one that is paused', async () => {
  const { now: _now, ...call } = budget()
  await takeMany(3, call)
  const left = async () =>
    (await readBudgets(service.runtime.pool)).filter(({ provider }) => provider === `${call.provider} quotes`)
  expect(await left()).toEqual([{ provider: `${call.provider} quotes`, environment: 'live', callsLeft: 17 }])
  await pauseCalls(service.runtime.pool, { ...call, seconds: 100 })
  expect((await left()).map(({ callsLeft }) => callsLeft)).toEqual([0])
})
