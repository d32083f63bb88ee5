import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connected, sized, startService } from '#testing'

/** Jobs that recur every ten minutes are in the full form, as all others. */
const SECONDS = sized(600, 60)
const TEN_MINUTES_MS = 600_000

test('an installation without traffic commits a few times a second at the most: tasks, locks, jobs, queues and schedules together', {
  timeout: 900_000,
}, async () => {
  const service = await startService({ worker: true })
  const db = await connected(service)
  const commits = async (): Promise<number> => {
    await db.query('select pg_stat_clear_snapshot()')
    const { rows } = await db.query(
      'select xact_commit::int as count from pg_stat_database where datname = current_database()',
    )
    return rows[0].count
  }
  try {
    // What a start does is done, and in the short form no ten minutes end.
    await sleep(70_000)
    const left = TEN_MINUTES_MS - (Date.now() % TEN_MINUTES_MS)
    if (SECONDS * 1000 < TEN_MINUTES_MS && left < SECONDS * 1000 + 5000) await sleep(left + 20_000)
    const [before, began] = [await commits(), performance.now()]
    await sleep(SECONDS * 1000)
    const seconds = (performance.now() - began) / 1000
    // About one a second on a quiet machine; 38 before tasks and queues were asked for in one statement.
    expect((await commits()) - before).toBeLessThan(5 * seconds)
  } finally {
    await db.end()
    await service.stop()
  }
})
