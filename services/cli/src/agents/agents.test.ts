import { spawn } from 'node:child_process'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { type AgentOptions, createAgentServer, pagesOf } from '@payments/agents'
import { Payments } from '@payments/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { createKeyFor, newMerchant, useArtefact } from '#testing'
import { person } from '../../test/cli.ts'
import { allowancesOf, limitsOf } from './limits.ts'

const service = useArtefact()
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const swap = {
  fromCurrency: 'USDC',
  toCurrency: 'EURC',
  destinationAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
}

async function agent(key: string, options: Partial<AgentOptions> = {}) {
  const client = new Client({ name: 'test', version: '1' })
  const [own, other] = InMemoryTransport.createLinkedPair()
  const given = {
    page: pagesOf(service.url, fetch),
    environment: 'test',
    allowWrites: false,
    ...options,
  } as const
  const server = await createAgentServer(new Payments({ url: service.url, apiKey: key, maxRetries: 0 }), given)
  await Promise.all([server.connect(own), client.connect(other)])
  onTestFinished(() => client.close())
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, given: Record<string, unknown> = {}) => {
      const { content, isError = false } = await client.callTool({ name, arguments: given })
      return { isError, text: (content as { text: string }[])[0]?.text ?? '' }
    },
  }
}

test('an agent reads, over standard input and output, and finds the guides; it changes nothing without --allow-writes', {
  timeout: 60_000,
}, async () => {
  const { key } = await newMerchant(service)
  const client = new Client({ name: 'test', version: '1' })
  const env = { PAYMENTS_URL: service.url, PAYMENTS_API_KEY: key, PAYMENTS_CONFIG_DIR: person().folder }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp'], env }))
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  expect(tools.length).toBeGreaterThan(40)
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([])
  const { content } = await client.callTool({ name: 'customers_list', arguments: {} })
  expect(JSON.parse((content as { text: string }[])[0]?.text ?? '').total).toBe(0)
  const { resources } = await client.listResources()
  expect(resources.map(({ name }) => name)).toContain('Webhooks')
  const uri = resources.find(({ name }) => name === 'Webhooks')?.uri ?? ''
  expect((await client.readResource({ uri })).contents[0]).toMatchObject({
    text: expect.stringContaining('# Webhooks'),
  })
})

test('a call that moves money in the sandbox needs an idempotency key, and has one effect', async () => {
  const { key, call } = await newMerchant(service)
  const own = await agent(key, { allowWrites: true })
  expect(await own.call('swaps_create', { ...swap, amount: '5' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('idempotencyKey'),
  })
  for (let n = 0; n < 2; n++)
    expect(await own.call('swaps_create', { ...swap, amount: '5', idempotencyKey: 'order-1' })).toMatchObject({
      isError: false,
    })
  expect((await call('GET /v1/swaps')).data.total).toBe(1)
  expect(await own.call('swaps_create', { ...swap, amount: 'much', idempotencyKey: 'order-2' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('validation_failed'),
  })
  expect(await own.call('customers_get', { customerId: '..' })).toMatchObject({ isError: true })
  expect(await own.names()).not.toContain('payoutControls_change')
})

test('in live money moves only with an allowance, by call and by day, and a repeated call counts once', async () => {
  const { organisationId } = await newMerchant(service)
  const key = await createKeyFor(service.runtime, { organisationId, environment: 'live', scopes: ['api:write'] })
  const live = { environment: 'live', allowWrites: true } as const
  expect(await (await agent(key, live)).names()).not.toContain('swaps_create')
  const own = await agent(key, {
    ...live,
    limits: limitsOf(person().folder, allowancesOf(['swaps.create=USDC:10/25'])),
  })
  const create = (amount: string, idempotencyKey: string) =>
    own.call('swaps_create', { ...swap, amount, idempotencyKey })
  expect((await create('10.01', 'a')).text).toBe('swaps.create may move 10 USDC in a call')
  // The service has no live provider here: what is allowed reaches it and is refused there, and counts all the same.
  for (const [amount, name] of [
    ['10', 'b'],
    ['10', 'c'],
    ['10', 'c'],
    ['5', 'd'],
  ] as const)
    expect((await create(amount, name)).text).not.toContain('may move')
  expect((await create('0.000001', 'e')).text).toBe('swaps.create may move 25 USDC in a day')
  // Repeated with less, a call still counts for what it may have moved.
  await create('0.000001', 'b')
  expect((await create('5', 'f')).text).toBe('swaps.create may move 25 USDC in a day')
  expect(await own.names()).not.toContain('offramps_create')
  expect(() => allowancesOf(['swaps.create=10/25'])).toThrow(/USDC:100\/500/)
  expect(
    limitsOf(person().folder, allowancesOf(['swaps.create=USDC:10/25'])).take('swaps.create', '1', 'EURC', 'g'),
  ).toBe('swaps.create may move USDC alone, not EURC')
})

test('what agents in several processes move in a day stays within the allowance, and an unreadable record allows nothing', async () => {
  const { folder } = person()
  const script = `
    import { allowancesOf, limitsOf } from '${new URL('limits.ts', import.meta.url).href}'
    const limits = limitsOf('${folder}', allowancesOf(['swaps.create=USDC:10/50']))
    const allowed = []
    for (let n = 0; n < 20; n++) if (!limits.take('swaps.create', '1', 'USDC', process.pid + '-' + n)) allowed.push(n)
    console.log(allowed.length)`
  const counts = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
      return Number(await text(child.stdout))
    }),
  )
  expect(counts.reduce((sum, count) => sum + count)).toBe(50)
  const [file = ''] = readdirSync(folder)
  appendFileSync(join(folder, file), '{"operation":"swaps.cre')
  const limits = limitsOf(folder, allowancesOf(['swaps.create=USDC:10/1000']))
  expect(() => limits.take('swaps.create', '1', 'USDC', 'later')).toThrow(`${join(folder, file)} cannot be read`)
})

test('the scopes of a key apply', async () => {
  const { key } = await newMerchant(service, { scopes: ['api:read'] })
  const own = await agent(key, { allowWrites: true })
  expect(await own.call('customers_create', { name: 'Ada', email: 'ada@example.com' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('missing_scopes'),
  })
})
