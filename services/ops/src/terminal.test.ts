import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { withProgress } from './terminal.ts'

afterEach(() => void vi.useRealTimers())

/** What is written to stderr while work takes this long. */
async function written(isTTY: boolean, seconds: number): Promise<string> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'Date'] })
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const stderr = Object.assign(new PassThrough(), { isTTY })
  const work = new Promise<string>((resolve) => setTimeout(resolve, seconds * 1000 + 1, 'done'))
  const waiting = withProgress({ stdin, stdout, stderr }, 'Check the whole ledger', work)
  await vi.advanceTimersByTimeAsync(seconds * 1000 + 1)
  expect(await waiting).toBe('done')
  await vi.advanceTimersByTimeAsync(60_000)
  stderr.end()
  return text(stderr)
}

test('long work shows its progress on stderr: a line that is replaced and removed on a terminal, else one every 10 seconds', async () => {
  expect(await written(true, 2)).toBe('\rCheck the whole ledger … 1 s\rCheck the whole ledger … 2 s\r\u001b[K')
  expect(await written(false, 25)).toBe('Check the whole ledger … 10 s\nCheck the whole ledger … 20 s\n')
})

test('quick work shows nothing', async () => {
  expect(await written(true, 0)).toBe('')
  expect(await written(false, 9)).toBe('')
})
