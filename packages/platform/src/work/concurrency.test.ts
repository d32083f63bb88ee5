import { type Actor, newId, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { concurrencyLimit } from './concurrency.ts'

const key = (organisationId = newId()): Actor => ({ ...system(organisationId, 'test'), kind: 'key' })
const bounds = { running: 2, shared: 2, waiting: 3, waitSeconds: 30 }

/** Work that ends when it is told to. */
function controlled() {
  const ends: (() => void)[] = []
  const started: number[] = []
  const work = (name: number) => () => {
    started.push(name)
    return new Promise<number>((resolve) => ends.push(() => resolve(name)))
  }
  return { work, started, end: () => ends.shift()?.() }
}
const soon = () => new Promise((resolve) => setImmediate(resolve))

test('an organisation runs so many operations, queues so many in order, and gets a 429 with Retry-After beyond', async () => {
  const limit = concurrencyLimit(bounds)
  const actor = key()
  const { work, started, end } = controlled()
  const running = [0, 1, 2, 3, 4].map((name) => limit.run(actor, work(name)))
  await soon()
  expect(started).toEqual([0, 1])
  await expect(limit.run(actor, work(5))).rejects.toMatchObject({ status: 429, retryAfter: 1 })
  const other = limit.run(key(), work(6))
  await soon()
  expect(started).toEqual([0, 1, 6])
  for (let n = 0; n < 6; n++) {
    end()
    await soon()
  }
  expect(await Promise.all([...running, other])).toEqual([0, 1, 2, 3, 4, 6])
  expect(started).toEqual([0, 1, 6, 2, 3, 4])
})

test('an operation that waits too long gets a 429, and one that fails frees its place', async () => {
  const limit = concurrencyLimit({ running: 1, shared: 1, waiting: 3, waitSeconds: 0.02 })
  const actor = key()
  const { work, started, end } = controlled()
  const first = limit.run(actor, work(0))
  await expect(limit.run(actor, work(1))).rejects.toMatchObject({ status: 429 })
  end()
  await first
  await expect(limit.run(actor, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const last = limit.run(actor, work(2))
  await soon()
  expect(started).toEqual([0, 2])
  end()
  await last
})

test('where places pause, the next operation waits for as long as the last one took, and its caller does not', async () => {
  const limit = concurrencyLimit({ ...bounds, running: 1, shared: 0, pauses: true })
  const actor = key()
  const took = 60
  let ended = 0
  const first = limit.run(actor, async () => {
    await new Promise((resolve) => setTimeout(resolve, took))
    ended = performance.now()
  })
  let begun = false
  const second = limit.run(actor, async () => {
    begun = true
    return performance.now()
  })
  await first
  expect(begun).toBe(false)
  // A timer may be early by less than a millisecond.
  expect((await second) - ended).toBeGreaterThan(took - 2)
})

test('an organisation uses what others leave idle, and each of the others has its own places at once', async () => {
  const limit = concurrencyLimit({ ...bounds, shared: 4, waiting: 10 })
  const [greedy, other] = [key(), key()]
  const { work, started, end } = controlled()
  const running = [0, 1, 2, 3, 4, 5].map((name) => limit.run(greedy, work(name)))
  await soon()
  expect(started).toEqual([0, 1, 2, 3])
  running.push(limit.run(other, work(10)), limit.run(other, work(11)), limit.run(other, work(12)))
  await soon()
  expect(started).toEqual([0, 1, 2, 3, 10, 11])
  // Six run, of four that are shared: what the first ends is nobody's, until it is below its own bound.
  for (let n = 0; n < 2; n++) {
    end()
    await soon()
  }
  expect(started).toEqual([0, 1, 2, 3, 10, 11])
  end()
  await soon()
  expect(started).toEqual([0, 1, 2, 3, 10, 11, 4])
  for (let n = 0; n < 6; n++) {
    end()
    await soon()
  }
  expect(await Promise.all(running)).toEqual([0, 1, 2, 3, 4, 5, 10, 11, 12])
})

test('of organisations that wait for an idle place, the one with the fewest operations is next', async () => {
  const limit = concurrencyLimit({ ...bounds, shared: 6, waiting: 10 })
  const [greedy, other] = [key(), key()]
  const { work, started, end } = controlled()
  const running = [0, 1, 2, 3].map((name) => limit.run(greedy, work(name)))
  running.push(...[10, 11].map((name) => limit.run(other, work(name))))
  running.push(limit.run(greedy, work(4)), limit.run(other, work(12)))
  await soon()
  expect(started).toEqual([0, 1, 2, 3, 10, 11])
  end()
  await soon()
  expect(started.slice(6)).toEqual([12])
  end()
  await soon()
  expect(started.slice(6)).toEqual([12, 4])
  for (let n = 0; n < 6; n++) {
    end()
    await soon()
  }
  await Promise.all(running)
})

test('whatever organisations send, no place is lost: each of them ends, and one alone runs as many as before', async () => {
  const limit = concurrencyLimit({ ...bounds, shared: 5, waiting: 1000 })
  const actors = Array.from({ length: 4 }, () => key())
  let [running, most] = [0, 0]
  const work = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
    running--
  }
  const sent = Array.from({ length: 600 }, (_, n) => limit.run(actors[n % (1 + (n % 4))] as Actor, work))
  await Promise.all(sent)
  expect(most).toBeLessThanOrEqual(bounds.running * actors.length)
  most = 0
  await Promise.all(Array.from({ length: 20 }, () => limit.run(actors[0] as Actor, work)))
  expect(most).toBe(5)
})
