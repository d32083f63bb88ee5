import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'

test('an error is logged without the objects that are attached to it', () => {
  const lines: string[] = []
  const log = createLog('info', (line) => void lines.push(line))
  const error = Object.assign(new TypeError('Gone', { cause: new Error('Why') }), {
    code: '57P01',
    client: { secretKey: 174, password: 'hidden' },
  })
  log.error({ err: error }, 'failed')
  const { err } = JSON.parse(lines[0] ?? '')
  expect(err).toEqual({
    type: 'TypeError',
    message: 'Gone: Why',
    stack: expect.stringContaining('log.test.ts'),
    code: '57P01',
  })
})

test('a full disk below standard output ends no process: what it does not take is dropped and counted', () => {
  const script = `
    import { createLog, droppedLines } from '${new URL('log.ts', import.meta.url).href}'
    const log = createLog('info')
    for (let n = 0; n < 3000; n++) log.info({ text: 'x'.repeat(1000) }, 'line')
    await new Promise((resolve) => setTimeout(resolve, 50))
    console.error(droppedLines())`
  const command = `"${process.execPath}" --input-type=module --eval '${script.replaceAll("'", `'\\''`)}' 2>&1 >/dev/full`
  expect(Number(execFileSync('sh', ['-c', command], { encoding: 'utf8' }))).toBeGreaterThan(1500)
})
