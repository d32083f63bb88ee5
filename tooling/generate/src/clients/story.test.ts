import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@payments/checks'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { freePort, newMerchant, useService } from '#testing'
import { packSdk } from './pack.ts'

const receiverPort = await freePort()
const service = useService({ worker: true, settings: { WEBHOOK_DEV_TARGETS: `http://127.0.0.1:${receiverPort}` } })

// An empty folder with one installation: nothing of this repository is above it.
const folder = mkdtempSync(join(tmpdir(), 'payments-examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
execFileSync('npm', ['install', packSdk(folder), '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: folder })

const sourceOf = (name: string): string => readFileSync(join(root, `examples/${name}.ts`), 'utf8')

/** Starts an example against the service of this test. */
function start(name: string, key: string, args: readonly string[] = [], input = '') {
  const text = sourceOf(name).replaceAll('http://127.0.0.1:4000', service.url).replaceAll('9000', String(receiverPort))
  const file = join(folder, `${name}.mts`)
  writeFileSync(file, text)
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, env: { ...process.env, API_KEY: key } })
  onTestFinished(() => void child.kill())
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk))
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { printed: () => Buffer.concat(printed).toString('utf8'), ended }
}

test('an empty folder, one installation and a program of 15 lines lead to the first verified webhook', {
  timeout: 120_000,
}, async () => {
  const lines = sourceOf('first-webhook').split('\n')
  expect(lines.filter((line) => line && !line.startsWith('//')).length).toBeLessThanOrEqual(15)
  const { key } = await newMerchant(service)
  const story = start('first-webhook', key)
  expect([await story.ended, story.printed()]).toEqual([0, 'verified webhook.test\n'])
})

test('the shop makes one checkout for an order, and ships it when it is paid', { timeout: 120_000 }, async () => {
  const { key, call } = await newMerchant(service)
  const shop = start('checkout-shop', key)
  await expect.poll(shop.printed, { timeout: 30_000 }).toContain('open http')
  const buy = () => fetch(`http://127.0.0.1:${receiverPort}/orders/1042`, { method: 'POST', redirect: 'manual' })
  const [first, second] = [await buy(), await buy()]
  expect([first.status, first.headers.get('location')]).toEqual([303, second.headers.get('location')])
  const { collections, total } = (await call('GET /v1/collections')).data
  expect(total).toBe(1)
  const body = { action: 'start', networkKey: 'ethereum', currency: 'USDC' }
  const session = (await call(`POST /v1/pay/${collections[0].id}`, { body })).data
  await call(`POST /v1/sandbox/checkout-sessions/${session.id ?? session.sessionId}/payments`, { body: {} })
  await expect.poll(shop.printed, { timeout: 60_000 }).toContain('shipped 1042')
})

test('the books of a day are compared with the ledger, exactly', { timeout: 120_000 }, async () => {
  const { key, call } = await newMerchant(service)
  const route = {
    ...{ name: 'Treasury', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
    destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  }
  const { id } = (await call('POST /v1/payment-routes', { body: route })).data
  await call(`POST /v1/sandbox/payment-routes/${id}/deposits`, { body: { amount: '12.50' } })
  const own = async () => (await call('GET /v1/transactions')).data.transactions[0]
  await expect.poll(async () => (await own())?.status, { timeout: 30_000 }).toBe('completed')
  const { id: transaction, createdAt } = await own()
  const compare = (books: object) => start('reconcile-day', key, [createdAt.slice(0, 10)], JSON.stringify(books))
  const right = compare({ [transaction]: '12.5' })
  expect([await right.ended, right.printed()]).toEqual([0, `${createdAt.slice(0, 10)}: 12.50 USDC\n`])
  const wrong = compare({ [transaction]: '12.500001', unknown: '1' })
  expect(await wrong.ended).toBe(1)
  expect(wrong.printed()).toContain('the books have 12.500001, the ledger 12.5 USDC')
  expect(wrong.printed()).toContain('unknown: 1 is in the books alone')
})

test('every example has less than 150 lines', () => {
  const files = globSync('examples/*.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) expect(readFileSync(join(root, file), 'utf8').split('\n').length, file).toBeLessThan(150)
})
