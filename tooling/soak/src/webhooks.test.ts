import { expect, test } from 'vitest'
import { freshDatabase } from '#testing'
import { openStage } from './stage.ts'
import { bootstrap, percentile } from './statistics.ts'
import { soak } from './webhooks.ts'

test('beside a hanging and a failing endpoint, with the worker killed too, every event reaches every healthy endpoint', async () => {
  const database = await freshDatabase()
  try {
    const report = await soak(
      { events: 150, endpoints: 8, pairs: 1, pairEvents: 20, kills: 1 },
      (targets) => openStage({ owner: database.ownerUrl, service: database.serviceUrl }, targets),
      () => undefined,
    )
    expect(report.big).toMatchObject({ healthy: 6, missing: 0, duplicates: 0 })
    expect(report.big.latencies).toHaveLength(150 * 6)
    expect(report.killed).toMatchObject({ missing: 0, kills: 1 })
    expect(report.change.median).toHaveLength(1)
  } finally {
    await database.drop()
  }
}, 240_000)

test('percentiles and bootstrap intervals are those of a known sample', () => {
  const values = Array.from({ length: 100 }, (_value, index) => index)
  expect([percentile(values, 0.5), percentile(values, 0.99), percentile([7], 0.5)]).toEqual([50, 99, 7])
  expect(bootstrap([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 })
  const { mean, low, high } = bootstrap([-0.1, 0, 0.1])
  expect(mean).toBeCloseTo(0)
  expect(low).toBeLessThan(0)
  expect(high).toBeGreaterThan(0)
})
