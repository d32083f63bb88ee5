import { providers } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import { beforeEach, expect, test } from 'vitest'
import { useService } from '#testing'
import { budgetOf, secondsUntilFree, silence, takeCall } from './rate-budget.ts'

const service = useService({ settings: { DATABASE_POOL: '20' } })
beforeEach(() => service.runtime.pool.query("update cngn_calls set times = '{}', silent_until = null"))

const START = Date.parse('2026-01-31T12:00:00.000Z')
const at = (seconds: number) => ({ now: new Date(START + seconds * 1000) })

test('20 calls a minute: on a moving clock, no 60 seconds ever have more, and none is wasted', async () => {
  const { pool } = service.runtime
  const taken: number[] = []
  // Callers of many processes try 4 times a second for five minutes.
  for (let second = 0; second < 300; second += 0.25)
    if ((await takeCall(pool, 'test', 20, at(second))) === 0) taken.push(second)
  for (const from of taken)
    expect(taken.filter((each) => each >= from && each < from + 60).length).toBeLessThanOrEqual(20)
  expect(taken).toHaveLength(100)
  expect(await secondsUntilFree(pool, 'test', 20, at(taken.at(-1) ?? 0))).toBe(60 - 4)
})

test('parallel callers together take no more than the limit, and are told when the next call is free', async () => {
  const { pool } = service.runtime
  const waits = await Promise.all(Array.from({ length: 60 }, () => takeCall(pool, 'live', 20, at(0))))
  expect(waits.filter((wait) => wait === 0)).toHaveLength(20)
  expect(new Set(waits.filter((wait) => wait > 0))).toEqual(new Set([60]))
})

test('a provider that refuses calls is not called until its pause has passed; one without a limit always', async () => {
  const limited = (callsPerMinute: number | null): Runtime => ({
    ...service.runtime,
    providers: { ...providers([]), find: () => ({ callsPerMinute }) as never },
  })
  await budgetOf({ runtime: limited(null) }, 'test').take()
  await silence(service.runtime.pool, 'test', 45)
  const refused = budgetOf({ runtime: limited(20) }, 'test').take()
  await expect(refused).rejects.toMatchObject({ code: 'cngn_provider_busy', status: 503 })
  expect(await secondsUntilFree(service.runtime.pool, 'test', 20)).toBeGreaterThan(40)
})
