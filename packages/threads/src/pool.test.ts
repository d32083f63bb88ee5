import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Job } from '../test/program.ts'
import { metrics } from './metrics.ts'
import { JobEnded, type PoolBounds, threadPool } from './pool.ts'

let pools = 0

function newPool(bounds: Partial<PoolBounds> = {}) {
  const name = `test ${pools++}`
  const pool = threadPool<Job, number>({
    name,
    program: new URL('../test/program.ts', import.meta.url),
    threads: 1,
    waiting: 10,
    waitingOfOwner: 5,
    deadlineMs: 60_000,
    mostMs: 60_000,
    abandonedMs: 60_000,
    memoryMb: 32,
    idleMs: 60_000,
    ...bounds,
  })
  onTestFinished(() => pool.close())
  return { pool, name }
}

/** A job that occupies its thread until it is released. */
function held() {
  const until = new SharedArrayBuffer(4)
  const release = () => {
    Atomics.store(new Int32Array(until), 0, 1)
    Atomics.notify(new Int32Array(until), 0)
  }
  onTestFinished(release)
  return { job: { kind: 'hold', until } as const, release }
}

/** The order in which promises are settled. */
function inOrder(promises: Readonly<Record<string, Promise<unknown>>>) {
  const order: string[] = []
  const all = Object.entries(promises).map(([name, promise]) => promise.then(() => order.push(name)))
  return Promise.all(all).then(() => order)
}

test('while a thread is occupied the event loop is free, and its job is answered once it is released', async () => {
  const { pool } = newPool()
  const { job, release } = held()
  let ended = false
  const running = pool.run('a', job).finally(() => {
    ended = true
  })
  for (let turns = 0; turns < 100; turns++) await turn()
  expect(ended).toBe(false)
  release()
  expect(await running).toBe(1)
})

test('a job that never ends is ended at its deadline, the event loop runs on meanwhile, and the next job has a new thread', async () => {
  const { pool } = newPool({ deadlineMs: 300 })
  expect(await pool.run('a', { kind: 'count' })).toBe(1)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  await expect(pool.run('a', { kind: 'spin' })).rejects.toThrow(JobEnded)
  delay.disable()
  expect(delay.count).toBeGreaterThan(3)
  expect(await pool.run('a', { kind: 'count' })).toBe(1)
})

test('a job that only waits takes no processor time, and is ended when it has run as long as it may in any case', async () => {
  const { pool } = newPool({ deadlineMs: 100, mostMs: 1000 })
  const { job } = held()
  const started = performance.now()
  await expect(pool.run('a', job)).rejects.toThrow(JobEnded)
  expect(performance.now() - started).toBeGreaterThan(900)
})

test('a job that takes more memory than a thread may have ends that thread alone', async () => {
  const { pool } = newPool()
  await expect(pool.run('a', { kind: 'fill' })).rejects.toThrow(JobEnded)
  expect(await pool.run('a', { kind: 'count' })).toBe(1)
})

test('a job that fails says why, and its thread goes on', async () => {
  const { pool } = newPool()
  expect(await pool.run('a', { kind: 'count' })).toBe(1)
  await expect(pool.run('a', { kind: 'fail' })).rejects.toThrow('As asked for')
  expect(await pool.run('a', { kind: 'count' })).toBe(2)
})

test('a program that does not start fails each job, which says so', async () => {
  const { pool } = newPool({ program: new URL('../test/absent.ts', import.meta.url) })
  for (let number = 0; number < 2; number++)
    await expect(pool.run('a', { kind: 'count' })).rejects.toThrow('did not start')
})

test('owners are in turn, however many jobs one has, and an owner has one at a time even where a thread is idle', async () => {
  const { pool } = newPool({ threads: 2 })
  const [first, second] = [held(), held()]
  const a = pool.run('a', first.job)
  const order = inOrder({ a2: pool.run('a', { kind: 'count' }), a3: pool.run('a', { kind: 'count' }) })
  const b = pool.run('b', second.job)
  // The thread of b is free again, and a has one running.
  second.release()
  await b
  const c = pool.run('c', { kind: 'count' })
  await c
  expect(await Promise.race([order, turn('waiting')])).toBe('waiting')
  first.release()
  await a
  expect(await order).toEqual(['a2', 'a3'])

  const { pool: single } = newPool()
  const hold = held()
  const holding = single.run('x', hold.job)
  const turns = inOrder({
    ...{ a1: single.run('a', { kind: 'count' }), a2: single.run('a', { kind: 'count' }) },
    ...{ a3: single.run('a', { kind: 'count' }), b1: single.run('b', { kind: 'count' }) },
  })
  hold.release()
  await holding
  expect(await turns).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('more than may wait, of one owner or in all, are refused at once as busy, with the time to try again', async () => {
  const { pool } = newPool({ waiting: 3, waitingOfOwner: 2 })
  const hold = held()
  const all = [pool.run('x', hold.job), pool.run('a', { kind: 'count' }), pool.run('a', { kind: 'count' })]
  const busy = { code: 'busy', status: 503, retryAfter: 5 }
  await expect(pool.run('a', { kind: 'count' })).rejects.toMatchObject(busy)
  all.push(pool.run('b', { kind: 'count' }))
  await expect(pool.run('c', { kind: 'count' })).rejects.toMatchObject(busy)
  hold.release()
  await Promise.all(all)
})

test('what nobody waits for any more is not begun, or ended, and the others go on', async () => {
  const { pool, name } = newPool({ abandonedMs: 50 })
  const hold = held()
  const holding = pool.run('x', hold.job)
  const left = new AbortController()
  const waiting = pool.run('a', { kind: 'spin' }, left.signal)
  const behind = pool.run('b', { kind: 'count' })
  left.abort(new Error('Left'))
  await expect(waiting).rejects.toThrow('Left')
  hold.release()
  await holding
  expect(await behind).toBe(2)
  const later = new AbortController()
  const running = pool.run('a', { kind: 'spin' }, later.signal)
  await turn()
  later.abort()
  await expect(running).rejects.toThrow(JobEnded)
  expect(await pool.run('a', { kind: 'count' })).toBe(1)
  await expect(pool.run('a', { kind: 'count' }, later.signal)).rejects.toThrow('abort')
  const { values } = await metrics.duration.get()
  const abandoned = values.find(
    ({ labels, metricName }) =>
      metricName?.endsWith('_count') && labels.pool === name && labels.outcome === 'abandoned',
  )
  expect(abandoned?.value).toBe(2)
})

test('a thread without a job ends after its time, and the next job starts another', async () => {
  const { pool } = newPool({ idleMs: 20 })
  expect(await pool.run('a', { kind: 'count' })).toBe(1)
  await expect.poll(() => pool.run('a', { kind: 'count' }), { interval: 200 }).toBe(1)
})

test('how many wait is measured by the name of the pool', async () => {
  const { pool, name } = newPool()
  const hold = held()
  const all = [pool.run('x', hold.job), pool.run('a', { kind: 'count' }), pool.run('b', { kind: 'count' })]
  const waiting = async () => (await metrics.waiting.get()).values.find(({ labels }) => labels.pool === name)?.value
  expect(await waiting()).toBe(2)
  hold.release()
  await Promise.all(all)
  expect(await waiting()).toBe(0)
})
