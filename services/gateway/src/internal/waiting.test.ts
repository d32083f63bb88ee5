import { createLog } from '@payments/platform'
import { expect, onTestFinished, test, vi } from 'vitest'
import { waitingFor } from './waiting.ts'

test('a start that waits for the database says so after 10 s and again every 30 s, and no longer once it goes on', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: string[] = []
  const log = createLog('info', (line) => void lines.push(line))
  const { promise, resolve } = Promise.withResolvers<string>()
  const waited = waitingFor('the database', log, () => promise)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(lines).toEqual([])
  await vi.advanceTimersByTimeAsync(31_000)
  const said = { level: 'warn', msg: 'waiting for the database' }
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining(said), expect.objectContaining(said)])
  resolve('reached')
  expect(await waited).toBe('reached')
  await vi.advanceTimersByTimeAsync(100_000)
  expect(lines.length).toBe(2)
})
