import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@payments/checks'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { enabledCustomer, freePort, newMerchant, samples, useArtefact } from '#testing'

const receiverPort = await freePort()
const service = useArtefact({ settings: { WEBHOOK_DEV_TARGETS: `http://127.0.0.1:${receiverPort}` } })

// An empty folder with one installation: nothing of this repository is above it.
const folder = mkdtempSync(join(tmpdir(), 'payments-examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(() => {
  const archives = ['sdk', 'cli'].map((client) => `${service.url}/${client}/latest.tgz`)
  execFileSync('npm', ['install', ...archives, '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: folder })
})

const sourceOf = (name: string): string => readFileSync(join(root, `examples/${name}.ts`), 'utf8')

/** Starts an example against the service of this test. */
function start(name: string, key: string, args: readonly string[] = [], input = '', env: object = {}) {
  const text = sourceOf(name).replaceAll('http://127.0.0.1:4000', service.url).replaceAll('9000', String(receiverPort))
  const file = join(folder, `${name}.mts`)
  writeFileSync(file, text)
  const child = spawn(process.execPath, [file, ...args], { cwd: folder, env: { ...process.env, API_KEY: key, ...env } })
  onTestFinished(() => void child.kill())
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk))
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { printed: () => Buffer.concat(printed).toString('utf8'), ended, stop: () => void child.kill('SIGKILL') }
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

test('the command line that the service serves makes a customer and finds it again', async () => {
  const { key } = await newMerchant(service)
  const env = { HOME: folder, PAYMENTS_URL: service.url, PAYMENTS_API_KEY: key }
  const run = (...args: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [join(folder, 'node_modules/.bin/payments'), ...args, '--json'], {
        encoding: 'utf8',
        env,
      }),
    )
  const { id } = run('customers', 'create', '--name', 'Ada Obi', '--email', 'ada@example.com')
  expect(run('customers', 'list')).toMatchObject({ customers: [{ id, name: 'Ada Obi' }], total: 1 })
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

test('a payout is paid once, and only when another person has approved it, also when the bot starts again', {
  timeout: 180_000,
}, async () => {
  const { key, call, organisationId } = await newMerchant(service)
  const customerId = await enabledCustomer(service.runtime, organisationId, 5_000_000_000n)
  const env = { PEOPLE: JSON.stringify({ 'of-ada': 'ada', 'of-grace': 'grace' }) }
  const bot = start('payout-bot', key, [customerId], '', env)
  await expect.poll(bot.printed, { timeout: 30_000 }).toContain('waiting')
  const ask = async (token: string, path = '', body: object = {}) => {
    const headers = { authorization: `Bearer ${token}` }
    const url = `http://127.0.0.1:${receiverPort}/payouts${path}`
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await reply.json()) as Record<string, string>
  }
  const payout = { amount: '2500', bankCode: '058', accountNumber: '0123456789' }
  expect(await ask('of-ada', '', payout)).toMatchObject({ number: '1', status: 'waits for approval', askedBy: 'ada' })
  expect(await ask('of-nobody', '', payout)).toEqual({ error: 'Who are you?' })
  expect(await ask('of-ada', '', { ...payout, amount: '1000000.01' })).toEqual({ error: 'At most 1000000' })
  expect(await ask('of-ada', '/1/approve')).toEqual({ error: 'Another person must approve it' })
  const total = async () => (await call('GET /v1/cngn/payouts')).body.data.total
  expect(await total()).toBe(0)
  await Promise.all([ask('of-grace', '/1/approve'), ask('of-grace', '/1/approve')])
  await expect.poll(total, { timeout: 30_000 }).toBe(1)
  // It is stopped while the payout is on its way, and goes on.
  bot.stop()
  await bot.ended
  const again = start('payout-bot', key, [customerId], '', env)
  await expect.poll(again.printed, { timeout: 60_000 }).toMatch(/payout 1: .*2,500.* completed/)
  expect(await total()).toBe(1)
})

test('the report of a day has its totals, and ends with 1 where something needs attention', {
  timeout: 120_000,
}, async () => {
  const { key, call, organisationId } = await newMerchant(service)
  const day = new Date().toISOString().slice(0, 10)
  const quiet = start('daily-report', key, [day])
  expect([await quiet.ended, quiet.printed()]).toEqual([0, expect.stringContaining('Nothing.')])
  const { id } = (await call('POST /v1/payment-routes', { body: samples.route.body() })).body.data
  const [line, body] = samples.route.fund(id)
  await call(line, { body })
  await call('POST /v1/customers', { body: {} })
  const completed = async () => (await call('GET /v1/reports/summary')).body.data.succeededCount
  await expect.poll(completed, { timeout: 60_000 }).toBe(1)
  const refused = () =>
    service.runtime.pool
      .query('select from request_log where organisation_id = $1 and status = 422', [organisationId])
      .then(({ rowCount }) => rowCount)
  await expect.poll(refused).toBe(1)
  const busy = start('daily-report', key, [day])
  expect(await busy.ended).toBe(1)
  expect(busy.printed()).toMatch(/\| payment route \| 1 \| 0 \| .*USDC/)
  expect(busy.printed()).toMatch(/- POST \/v1\/customers: 422 validation_failed, 1 times, as in request [\da-f-]{36}/)
})

test('every example has less than 150 lines', () => {
  const files = globSync('examples/*.{ts,tsx}', { cwd: root })
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) expect(readFileSync(join(root, file), 'utf8').split('\n').length, file).toBeLessThan(150)
})
