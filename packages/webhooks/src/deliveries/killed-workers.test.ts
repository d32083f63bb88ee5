import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { type Arrivals, end, freshDatabase, openEventStand, type Role, sized, startReceivers, until } from '#testing'

const EVENTS = sized(10_000, 150)
const KILLS = sized(5, 1)
/** A worker is killed 2 to 6 seconds into its life. */
const LIFE_MS = { least: 2000, most: 6000 }
/** Events that are committed at once. */
const AT_ONCE = 4
const PATIENCE = { patienceMs: sized(900_000, 90_000), everyMs: 100 }

/** One endpoint hangs, one always fails, the others answer. */
const roles: readonly Role[] = ['hang', 'fail', ...Array.from({ length: sized(18, 6) }, () => 'well' as const)]
const database = await freshDatabase()
const receivers = await startReceivers(roles)
const stand = await openEventStand(database, receivers.origins)
afterAll(async () => {
  await stand.close()
  await receivers.close()
  await database.drop()
})

/** Commits the events of a new merchant with an endpoint at each receiver, evenly in this time, and waits until those that answer have them all. */
async function deliverAll(withinMs = 0): Promise<{ ids: readonly string[]; arrivals: readonly Arrivals[] }> {
  await receivers.reset()
  const merchant = await stand.merchant(receivers.origins)
  const ids: string[] = []
  while (ids.length < EVENTS) {
    const count = Math.min(AT_ONCE, EVENTS - ids.length)
    ids.push(...(await Promise.all(Array.from({ length: count }, () => merchant.emit()))))
    await sleep((withinMs * count) / EVENTS)
  }
  const well = <T>(all: readonly T[]) => all.filter((_, index) => roles[index] === 'well')
  const complete = async () => well(await receivers.progress()).every((count) => count >= EVENTS)
  await until('Every event is at every endpoint that answers', complete, PATIENCE)
  // Time for deliveries that must not arrive any more.
  await sleep(500)
  const arrivals = well(await receivers.arrivals())
  await merchant.leave()
  return { ids, arrivals }
}

/** Keeps one worker running and kills it; the last one works until it is stopped. */
async function killWorkers(): Promise<ReturnType<typeof stand.worker>> {
  for (let kills = 0; kills < KILLS; kills++) {
    const worker = stand.worker()
    await sleep(LIFE_MS.least + Math.random() * (LIFE_MS.most - LIFE_MS.least))
    await end(worker, 'SIGKILL')
  }
  return stand.worker()
}

test('beside a hanging and a failing endpoint every event reaches every healthy endpoint once', async () => {
  const worker = stand.worker()
  try {
    const { ids, arrivals } = await deliverAll()
    for (const arrived of arrivals) {
      expect([...arrived.keys()].sort()).toEqual(ids.toSorted())
      expect([...arrived.values()].every(({ length }) => length === 1)).toBe(true)
    }
  } finally {
    await end(worker, 'SIGTERM')
  }
}, 1_200_000)

test('while the worker is killed, every event reaches every healthy endpoint', async () => {
  const killing = killWorkers()
  try {
    // Events are committed before and after each kill.
    const { ids, arrivals } = await deliverAll(KILLS * LIFE_MS.most)
    // A killed worker may have sent what it did not record.
    for (const arrived of arrivals) expect([...arrived.keys()].sort()).toEqual(ids.toSorted())
  } finally {
    await end(await killing, 'SIGTERM')
  }
}, 1_200_000)
