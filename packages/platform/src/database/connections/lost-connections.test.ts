import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const own = (file: string): string => new URL(file, import.meta.url).href

/** A process that survives lost connections, and in which this happens. */
function processWith(happening: string) {
  const program = `
    import { EventEmitter } from 'node:events'
    import { createLog } from '${own('../../settings/log.ts')}'
    import { surviveLostConnections } from '${own('./lost-connections.ts')}'
    surviveLostConnections(createLog('warn'))
    const lost = Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' })
    setImmediate(() => {
      setTimeout(() => process.stdout.write('still running'), 50)
      ${happening}
    })`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('a connection that nothing listens to any more does not end the process when it is lost', () => {
  const { status, stdout } = processWith(`new EventEmitter().emit('error', lost)`)
  expect(stdout).toContain('connection lost that was given up before')
  expect([status, stdout]).toEqual([0, expect.stringContaining('still running')])
})

test('any other error that nothing handles ends the process, also a failed statement that nothing waits for', () => {
  for (const happening of [`new EventEmitter().emit('error', new Error('a fault'))`, 'Promise.reject(lost)']) {
    const { status, stdout, stderr } = processWith(happening)
    expect(status).not.toBe(0)
    expect(stdout).not.toContain('still running')
    // As Node ends a process: with the error and where it came from.
    expect(stderr).toMatch(/(a fault|terminating connection).*at .*\nNode\.js v/s)
  }
})
