import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { until } from '@payments/stand'
import type { Outside } from './outside.ts'
import { OTHERWISE, REFUSED, settingsIn, uncovered } from './settings.ts'

const [PORT, INTERNAL_PORT] = ['4009', '4109']
const MAIN = ['/usr/local/bin/node', ['bin/payments', 'start']] as const

const file = (name: string) => settingsIn(readFileSync(`/etc/payments/${name}`, 'utf8'))

/**
 * Starts one more gateway that changes what the guide leaves as it is, and one with each setting that production refuses. A finding for each
 * setting that no start had with another value than its default.
 */
export async function checkSettings({ mailbox }: Outside): Promise<string[]> {
  const findings: string[] = []
  const guide = { ...file('settings'), ...file('further-settings') }
  const { DATABASE_OWNER_URL: owner = '' } = file('owner')
  const { PATH } = process.env
  const env = {
    ...guide,
    ...file('gateway-1'),
    ...OTHERWISE,
    DATABASE_URL: owner,
    DATABASE_DIRECT_URL: owner,
    PORT,
    INTERNAL_PORT,
    PATH,
  }
  const options = { cwd: '/opt/payments/current', env } as const
  const gateway = spawn(...MAIN, { ...options, stdio: ['ignore', 'inherit', 'inherit'] })
  const gone = once(gateway, 'exit')
  const ready = `http://[${OTHERWISE.INTERNAL_HOST}]:${INTERNAL_PORT}/readyz`
  await Promise.race([
    until(
      'a gateway with other settings is ready',
      async () => (await fetch(ready).catch(() => undefined))?.ok === true,
    ),
    gone.then(([code]) => Promise.reject(new Error(`A gateway with other settings ended with ${code}`))),
  ])
  // Anyone may register there.
  await fetch(`http://127.0.0.1:${PORT}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https' },
    body: JSON.stringify({ email: 'stranger@merchant.test', organisationName: 'Stranger' }),
  })
  await mailbox.codeFor('stranger@merchant.test')
  gateway.kill('SIGTERM')
  await gone
  for (const [name, { value, says }] of Object.entries(REFUSED)) {
    const { status, stderr } = spawnSync(...MAIN, { ...options, env: { ...env, [name]: value }, encoding: 'utf8' })
    if (status !== 1 || stderr.trim() !== says) findings.push(`${name} was not refused: ${status} ${stderr}`)
  }
  const refused = Object.fromEntries(Object.entries(REFUSED).map(([name, { value }]) => [name, value]))
  return [...findings, ...uncovered([guide, file('gateway-1'), file('worker-1'), file('owner'), OTHERWISE, refused])]
}
