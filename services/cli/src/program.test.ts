import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf, operations } from '@payments/agents'
import { expect, test } from 'vitest'
import { createKeyFor, newMerchant, useArtefact } from '#testing'
import { person } from '../test/cli.ts'
import { triggers } from './commands/trigger.ts'
import { safe } from './output.ts'

const service = useArtefact()

/** A person with a key of a new merchant. */
async function merchant() {
  const { key, call, organisationId } = await newMerchant(service)
  return { key, call, organisationId, ...person({ PAYMENTS_URL: service.url, PAYMENTS_API_KEY: key }) }
}

test('every operation is a command with the help of its reference', async () => {
  const { run } = person()
  for (const operation of operations) {
    const { code, out } = await run(...commandOf(operation), '--help')
    expect([commandOf(operation), code]).toEqual([commandOf(operation), 0])
    expect(out.replaceAll(/\s+/g, ' ')).toContain(operation.summary)
  }
})

test('--version prints the version alone', async () => {
  expect(await person().run('--version')).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' })
  expect((await person().run('customers', 'list', '--version')).err).toMatch(/unknown option/)
})

test('objects are created from options and JSON, listed and exported; with --json nothing else is on standard output', async () => {
  const { run } = await merchant()
  const created = await run(
    'customers',
    'create',
    '--name',
    'Ada Obi',
    '--email',
    'ada@example.com',
    '--metadata',
    '{"order":"7"}',
    '--json',
  )
  expect([created.code, created.err]).toEqual([0, ''])
  const customer = JSON.parse(created.out)
  expect(customer.metadata).toEqual({ order: '7' })
  const data = JSON.stringify({ name: 'Eve', email: 'eve@example.com' })
  expect((await run('customers', 'create', '--data', data, '--name', 'Eve Obi')).out).toMatch(/^name +Eve Obi$/m)
  expect(JSON.parse((await run('customers', 'list', '--json')).out).total).toBe(2)
  expect((await run('customers', 'list')).out).toMatch(/2 of 2\n$/)
  expect(JSON.parse((await run('customers', 'get', customer.id, '--json')).out).id).toBe(customer.id)
  expect((await run('transactions', 'export')).out).toMatch(/^id,/)
})

test('a repeated command with the same key has one effect', async () => {
  const { run } = await merchant()
  const command = [
    'customers',
    'create',
    '--name',
    'Ada Obi',
    '--email',
    'a@example.com',
    '--idempotency-key',
    'one',
    '--json',
  ]
  const ids = [JSON.parse((await run(...command)).out).id, JSON.parse((await run(...command)).out).id]
  expect(ids[0]).toBe(ids[1])
})

test('the address of a webhook endpoint is that of the endpoint: no key is sent there', async () => {
  const { run } = await merchant()
  const at = ['--url', 'https://merchant.example/webhooks']
  const created = await run('webhooks', 'create', ...at, '--json')
  expect([created.code, created.err]).toEqual([0, ''])
  expect(JSON.parse(created.out).url).toBe(at[1])
  const elsewhere = await run('--url', 'nonsense', 'webhooks', 'create', ...at)
  expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining('"nonsense" is not an address') })
  const help = await run('webhooks', 'create', '--help')
  expect(help.out.match(/--url/g)).toHaveLength(1)
})

test('the exit code and standard error say what was wrong, and standard output stays empty', async () => {
  const { run } = await merchant()
  const refused = await run('customers', 'create', '--name', 'Ada', '--email', 'nothing', '--json')
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(JSON.parse(refused.err).error).toMatchObject({
    code: 'validation_failed',
    fields: { email: expect.any(String) },
  })
  expect((await run('customers', 'create', '--nmae', 'Ada')).code).toBe(2)
  expect((await run('customers', 'list', '--api-key', 'svc_test_wrong')).code).toBe(3)
  expect((await run('customers', 'list', '--url', 'http://192.0.2.1')).code).toBe(2)
  expect(await person().run('customers', 'list')).toMatchObject({
    code: 2,
    err: expect.stringContaining('payments login'),
  })
  expect((await person({ PAYMENTS_API_KEY: 'svc_test_x' }).run('fiat', 'sell-quote', '--url', 'nonsense')).code).toBe(2)
})

test('login keeps a key that works, for its service alone, in a file of its owner', async () => {
  const { key } = await newMerchant(service)
  const { run, folder } = person()
  expect((await run('login', '--url', service.url, '--api-key', 'svc_test_wrong')).code).toBe(3)
  expect(existsSync(join(folder, 'config.json'))).toBe(false)
  expect((await run('login', '--url', service.url, '--api-key', key)).out).toContain('(test)')
  const file = join(folder, 'config.json')
  const kept = { [service.url]: key }
  expect([statSync(file).mode & 0o777, JSON.parse(readFileSync(file, 'utf8')).keys]).toEqual([0o600, kept])
  expect((await run('customers', 'list')).code).toBe(0)
  // Another address of the same service is the same one; another service gets no key, however it is named.
  expect((await run('customers', 'list', '--url', `${service.url}/v1`)).code).toBe(0)
  const elsewhere = 'http://127.0.0.1:1'
  expect((await run('customers', 'list', '--url', elsewhere)).err).toContain('No API key')
  const byVariable = person({ PAYMENTS_CONFIG_DIR: folder, PAYMENTS_URL: elsewhere })
  expect((await byVariable.run('customers', 'list')).err).toContain('No API key')
})

test('the keys of several services are kept side by side, and one that was kept before there were several is found', async () => {
  const { key } = await newMerchant(service)
  const { run, folder } = person()
  const file = join(folder, 'config.json')
  writeFileSync(file, JSON.stringify({ url: 'https://other.example/v1', apiKey: 'svc_live_other' }))
  expect((await run('login', '--url', service.url, '--api-key', key)).code).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    url: service.url,
    keys: { 'https://other.example': 'svc_live_other', [service.url]: key },
  })
})

test('every event can be triggered, and has happened', { timeout: 240_000 }, async () => {
  const { run, call } = await merchant()
  const own = triggers.filter((type) => type !== 'webhook.test')
  for (const type of own) {
    const { code, err } = await run('trigger', type)
    expect([type, code, err]).toEqual([type, 0, ''])
  }
  const missing = async () => {
    const types = (await call('GET /v1/events')).data.events.map(({ type }: { type: string }) => type)
    return own.filter((type) => !types.includes(type))
  }
  await expect.poll(missing, { timeout: 60_000 }).toEqual([])
})

test('an override is checked, and a live key triggers nothing', async () => {
  const { run, organisationId } = await merchant()
  expect(JSON.parse((await run('trigger', 'swap.created', '--override', 'amount=25', '--json')).out).amount).toBe('25')
  expect((await run('trigger', 'swap.created', '--override', 'amuont=25')).err).toContain('amount')
  expect((await run('trigger', 'swap.created', '--override', 'toCurrency=BTC')).code).toBe(2)
  expect((await run('trigger', 'loan.created')).err).toContain('swap.created')
  const key = await createKeyFor(service.runtime, { organisationId, environment: 'live', scopes: ['api:write'] })
  expect((await run('trigger', 'swap.created', '--api-key', key)).err).toContain('sandbox')
})

test('words are completed with subcommands and options', async () => {
  const { run } = person()
  expect((await run('__complete', 'payment-routes', 'cr')).out).toBe('create\n')
  expect((await run('__complete', 'payment-routes', 'create', '--origin')).out).toBe(
    '--origin-chain-key\n--origin-currency\n',
  )
  for (const shell of ['bash', 'zsh', 'fish'])
    expect((await run('completion', shell)).out).toContain('payments __complete')
  expect((await run('completion', 'tcsh')).code).toBe(2)
})

test('text of others does not control the terminal', () => {
  expect(safe('a\u001b[31mb\u202ec\nd')).toBe('a\\u001b[31mb\\u202ec\nd')
})
