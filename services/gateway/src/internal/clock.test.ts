import { createLog } from '@payments/platform'
import { expect, onTestFinished, test } from 'vitest'
import { until, useService } from '#testing'
import { clockSkew, watchClock } from './clock.ts'
import { createMetrics } from './metrics.ts'

const service = useService()
const HOUR = 3600

test('a clock that is an hour behind the database is measured, logged and reported; one that agrees is not logged', async () => {
  const { pool } = service.runtime
  expect(Math.abs((await clockSkew(pool)) ?? Number.NaN)).toBeLessThan(1)
  const lines: string[] = []
  const log = createLog('info', (line) => void lines.push(line))
  const right = watchClock(pool, log)
  const behind = watchClock(pool, log, () => Date.now() - HOUR * 1000)
  onTestFinished(() => {
    for (const clock of [right, behind]) clock.stop()
  })
  await until('both are measured', async () => right.skew() !== undefined && behind.skew() !== undefined)
  expect(behind.skew()).toBeCloseTo(-HOUR, 0)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', seconds: expect.closeTo(-HOUR, 0) }),
  ])
  const metrics = await createMetrics(service.runtime, behind).registry.metrics()
  expect(Number(metrics.match(/^clock_skew_seconds (\S+)$/m)?.[1])).toBeCloseTo(-HOUR, 0)
})

test('an answer that came late says nothing about the clock', async () => {
  let calls = 0
  expect(await clockSkew(service.runtime.pool, () => Date.now() + calls++ * 5_000)).toBeUndefined()
})
