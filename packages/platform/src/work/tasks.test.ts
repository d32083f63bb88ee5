import { expect, test } from 'vitest'
import { pause, useService } from '#testing'
import { startTasks, type Task } from './tasks.ts'

const service = useService()

test('tasks that share the connection for locks never ask it two things at a time', async () => {
  const warnings: string[] = []
  const listen = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', listen)
  const runs = new Map<string, number>()
  const tasks: Task[] = Array.from({ length: 8 }, (_, index) => ({
    name: `test.${index}`,
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
