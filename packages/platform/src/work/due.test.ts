import { afterEach, expect, test, vi } from 'vitest'
import { useService } from '#testing'
import { atOnceIf, earliest, IDLE_MS, waitFor, watchDue } from './due.ts'
import { startTasks, type Task } from './tasks.ts'

const service = useService()
afterEach(() => void vi.useRealTimers())

test('what is due is waited for exactly, but no question follows another at once, and none is later than a second or, while nothing happens, five', () => {
  expect(waitFor([null, null], false)).toBe(5000)
  expect(waitFor([null, null], true)).toBe(1000)
  expect(waitFor([3000.2, null, 4000], false)).toBe(3001)
  expect(waitFor([3000.2, null, 700], true)).toBe(700)
  expect(waitFor([20, 9_000_000], false)).toBe(200)
  expect(waitFor([-50, 0], false)).toBe(5000)
})

/** Questions at a clock that the test moves, and what they found. */
function asked(answers: (() => readonly (number | null)[] | undefined)[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const times: number[] = []
  const woken: string[] = []
  const start = performance.now()
  const watch = watchDue(
    async () => {
      times.push(Math.round(performance.now() - start))
      return (answers.shift() ?? (() => [null, null]))()
    },
    ['a', 'b'].map((name) => ({ due: 'null', wake: () => void woken.push(name) })),
  )
  return { times, woken, watch }
}

test('a process in which nothing happens asks every five seconds; for a minute after a trigger, or after work was found, each second', async () => {
  const { times, woken, watch } = asked([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(times).toHaveLength(13)
  expect(woken).toEqual([])
  times.length = 0
  watch.soon()
  await vi.advanceTimersByTimeAsync(1000)
  expect(times).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(times.length).toBeGreaterThanOrEqual(59)
  await vi.advanceTimersByTimeAsync(60_000)
  times.length = 0
  await vi.advanceTimersByTimeAsync(60_000)
  expect(times.length).toBeLessThanOrEqual(12)
  await watch.stop()
})

test('what is due is woken with each question, and everything is where there is no answer', async () => {
  const { woken, watch } = asked([() => [-5, null], () => [0, 300], () => undefined])
  await vi.advanceTimersByTimeAsync(0)
  expect(woken).toEqual(['a'])
  await vi.advanceTimersByTimeAsync(1000)
  expect(woken).toEqual(['a', 'a'])
  await vi.advanceTimersByTimeAsync(300)
  expect(woken).toEqual(['a', 'a', 'a', 'b'])
  await watch.stop()
})

test('a task runs when its table says so, within the bound though no trigger told of it, and in one process at a time', async () => {
  const { pool } = service.runtime
  const runs: number[] = []
  const began = Date.now()
  let at = new Date(began + 1500)
  const task: Task = {
    name: 'test.due',
    because: 'tested',
    runsIn: 'one-process',
    due: () =>
      `select min(at) from unnest(array(select next_at from payment_route_feeds where provider = 'test.due')) as t (at)`,
    async run() {
      const { rows } = await pool.query(
        "delete from payment_route_feeds where provider = 'test.due' and next_at <= now() returning next_at",
      )
      if (rows.length > 0) runs.push(Date.now())
      return false
    },
  }
  const insert = () =>
    pool.query("insert into payment_route_feeds (environment, provider, next_at) values ('test', 'test.due', $1)", [at])
  const running = [1, 2].map(() => startTasks(service.runtime, [task], service.database.serviceUrl))
  await insert()
  await expect.poll(() => runs.length, { timeout: 5000 }).toBe(1)
  expect((runs[0] ?? 0) - at.getTime()).toBeLessThan(1500)
  at = new Date()
  await insert()
  await expect.poll(() => runs.length, { timeout: IDLE_MS + 3000 }).toBe(2)
  await Promise.all(running.map((each) => each.stop()))
})

test('times that tables say are one SQL value, null where there is none', async () => {
  const { rows } = await service.runtime.pool.query(
    `select ${earliest([])} is null as none, ${earliest(['select null::timestamptz', "select timestamptz 'epoch'"])} = 'epoch' as one,
            ${atOnceIf('select 1')} = now() as now, ${atOnceIf('select 1 where false')} is null as never`,
  )
  expect(rows).toEqual([{ none: true, one: true, now: true, never: true }])
})
