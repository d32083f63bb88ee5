import { expect, test } from 'vitest'
import { freshDatabase, openEventStand } from '#testing'
import { deliverEvents } from './index.ts'

test('beside a hanging and a failing endpoint, with the worker killed too, every event reaches every healthy endpoint', async () => {
  const database = await freshDatabase()
  try {
    const report = await deliverEvents(
      { events: 150, endpoints: 8, pairs: 1, pairEvents: 20, kills: 1 },
      (targets) => openEventStand(database, targets),
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
