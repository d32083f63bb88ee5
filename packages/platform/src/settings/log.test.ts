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
