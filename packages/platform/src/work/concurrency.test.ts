import { type Actor, newId, system } from '@payments/kernel'
import { expect, test } from 'vitest'
import { concurrencyLimit } from './concurrency.ts'

const key = (organisationId = newId()): Actor => ({ ...system(organisationId, 'test'), kind: 'key' })
const bounds = { running: 2, waiting: 3, waitSeconds: 30 }

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
  const limit = concurrencyLimit({ running: 1, waiting: 3, waitSeconds: 0.02 })
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
