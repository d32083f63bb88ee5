import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })

test('a service ends with the process that started it, however that ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-launch-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(
    join(folder, 'bin/payments'),
    `const { createServer } = require('node:net')
     const server = createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))`,
  )
  const given = [new URL('./launch.ts', import.meta.url).href, folder].map((text) => JSON.stringify(text))
  const starts = `const { launch } = await import(${given[0]})
    const serves = (port) => {
      process.stdout.write(port)
      setImmediate(() => { throw new Error('As a test that fails outside of its promise') })
    }
    launch({}, serves, ${given[1]})`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', starts], { encoding: 'utf8' })
  expect(stderr).toContain('outside of its promise')
  expect(Number(stdout)).toBeGreaterThan(0)
  await expect.poll(() => answers(Number(stdout))).toBe(false)
})
