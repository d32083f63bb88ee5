import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@payments/checks'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, newMerchant, useService } from '#testing'
import { packSdk } from './pack.ts'

const receiverPort = await freePort()
const service = useService({ worker: true, settings: { WEBHOOK_DEV_TARGETS: `http://127.0.0.1:${receiverPort}` } })

test('an empty folder, one installation and a program of 15 lines lead to the first verified webhook', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-story-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = readFileSync(join(root, 'examples/first-webhook.ts'), 'utf8')
  expect(program.split('\n').filter((line) => line && !line.startsWith('//')).length).toBeLessThanOrEqual(15)
  const here = program.replaceAll('http://127.0.0.1:4000', service.url).replaceAll('9000', String(receiverPort))
  execFileSync('npm', ['install', packSdk(folder), '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: folder })
  writeFileSync(join(folder, 'first-webhook.mts'), here)
  const { key } = await newMerchant(service)
  const env = { ...process.env, API_KEY: key }
  const { stdout } = await promisify(execFile)(process.execPath, ['first-webhook.mts'], { cwd: folder, env })
  expect(stdout).toBe('verified webhook.test\n')
})
