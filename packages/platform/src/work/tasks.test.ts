import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { pause, useService, wayTo } from '#testing'
import { createTriggers, startTasks, type Task } from './tasks.ts'

const service = useService()
afterEach(() => void vi.useRealTimers())

test('tasks that share the connection for locks never ask it two things at a time', async () => {
  const warnings: string[] = []
  const listen = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', listen)
  const runs = new Map<string, number>()
  const tasks: Task[] = Array.from({ length: 8 }, (_, index) => ({
    name: `test.${index}`,
    because: 'tested',
    intervalMs: 1,
    runsIn: 'one-process',
    async run() {
      runs.set(`test.${index}`, (runs.get(`test.${index}`) ?? 0) + 1)
      return false
    },
  }))
  const running = startTasks(service.runtime, tasks, service.database.serviceUrl)
  await expect.poll(() => [...runs.values()].filter((count) => count > 3).length, { timeout: 10_000 }).toBe(8)
  await running.stop()
  await pause(50)
  process.off('warning', listen)
  expect(warnings).toEqual([])
})

/** A way to the database on which the network can swallow what is open: nothing arrives any more, and neither side is told. */
async function swallowing(databaseUrl: string) {
  const { dial, urlAt } = wayTo(databaseUrl)
  const pairs: Socket[][] = []
  const server = createServer((client) => {
    const upstream = dial()
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.pipe(upstream)
    upstream.pipe(client)
    pairs.push([client, upstream])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of pairs.flat()) socket.destroy()
    server.close()
  })
  return {
    url: urlAt((server.address() as AddressInfo).port),
    opened: () => pairs.length,
    swallow() {
      for (const socket of pairs.flat()) socket.unpipe().resume()
    },
  }
}

test('work that is due goes on within seconds when the network swallows the connection that tells of it', async () => {
  const way = await swallowing(service.database.serviceUrl)
  let runs = 0
  const task: Task = {
    name: 'test.swallowed',
    because: 'tested',
    runsIn: 'every-process',
    due: () => 'now()',
    async run() {
      runs++
      return false
    },
  }
  const running = startTasks(service.runtime, [task], way.url)
  onTestFinished(() => running.stop())
  await expect.poll(() => runs).toBeGreaterThan(2)
  way.swallow()
  const before = runs
  // Once where there is no answer, and from then on as the tables say.
  await expect.poll(() => runs, { timeout: 25_000 }).toBeGreaterThan(before + 3)
  expect(way.opened()).toBe(2)
})

test('a trigger is sent at once, those that follow it are one more, and none comes after the end', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sent: string[] = []
  const local: string[] = []
  const triggers = createTriggers(
    async (task) => void sent.push(task),
    (task) => void local.push(task),
  )
  triggers.trigger('a')
  expect([local, sent]).toEqual([['a'], ['a']])
  for (const task of ['a', 'b', 'a', 'a']) triggers.trigger(task)
  expect(local).toEqual(['a', 'b'])
  vi.advanceTimersByTime(20)
  expect(local).toEqual(['a', 'b', 'a'])
  triggers.trigger('a')
  expect(local).toEqual(['a', 'b', 'a'])
  vi.advanceTimersByTime(20)
  expect(sent).toEqual(['a', 'b', 'a', 'a'])
  triggers.trigger('a')
  triggers.stop()
  triggers.trigger('c')
  vi.runAllTimers()
  expect([local, sent]).toEqual([
    ['a', 'b', 'a', 'a'],
    ['a', 'b', 'a', 'a'],
  ])
})

test('where many triggers come, one is sent for three times as long, and the first after a pause is sent at once', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let sent = 0
  const triggers = createTriggers(
    async () => undefined,
    () => void sent++,
  )
  const sentIn = (milliseconds: number, count: number) => {
    for (let n = 0; n < count; n++) triggers.trigger('a')
    const before = sent
    vi.advanceTimersByTime(milliseconds)
    return sent - before
  }
  triggers.trigger('a')
  expect(sentIn(20, 4)).toBe(1)
  expect([sentIn(59, 30), sentIn(1, 0)]).toEqual([0, 1])
  expect([sentIn(59, 1), sentIn(1, 0)]).toEqual([0, 1])
  expect([sentIn(19, 1), sentIn(1, 0)]).toEqual([0, 1])
  vi.advanceTimersByTime(20)
  triggers.trigger('a')
  expect(sent).toBe(6)
  triggers.stop()
})
