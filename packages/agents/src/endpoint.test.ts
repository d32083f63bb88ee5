import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished, test } from 'vitest'
import { createKeyFor, launchArtefact, newMerchant, requestsLogged, signedIn, useArtefact } from '#testing'
import { operations } from './generated/operations.ts'
import { IN_LIVE, NEVER } from './server.ts'

const service = useArtefact()
const swap = {
  ...{ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '5' },
  destinationAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
}

/** An agent with the protocol's own client. */
async function agent(key: string, { at = service.url, query = '' } = {}) {
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${key}`, 'user-agent': 'agent/1' }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${at}/mcp${query}`), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, given: Record<string, unknown> = {}) => {
      const { content, isError = false } = await client.callTool({ name, arguments: given })
      const [text = '', ...notes] = (content as { text: string }[]).map((each) => each.text)
      return { isError, text, notes }
    },
  }
}
const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const post = (headers: Record<string, string>, method = 'POST') =>
  fetch(`${service.url}/mcp`, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    ...(method === 'POST' ? { body: JSON.stringify(initialize) } : {}),
  })

test('an agent reads over HTTP with an API key, finds the guides, and its calls are requests like any other', async () => {
  const merchant = await newMerchant(service)
  const own = await agent(merchant.key)
  const { tools } = await own.client.listTools()
  expect(tools.length).toBeGreaterThan(40)
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([])
  const { id } = (await merchant.call('POST /v1/customers', { body: { name: 'Ada', email: 'ada@example.com' } })).body
    .data
  expect(JSON.parse((await own.call('customers_list')).text).customers).toMatchObject([{ id, name: 'Ada' }])
  expect(await own.call('customers_get', { customerId: 'none' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('customer_not_found'),
  })
  const { resources } = await own.client.listResources()
  const uri = resources.find(({ name }) => name === 'Webhooks')?.uri ?? ''
  expect((await own.client.readResource({ uri })).contents[0]).toMatchObject({
    text: expect.stringContaining('# Webhooks'),
  })
  await requestsLogged(service, merchant, '/v1/customers%', 3)
  const { requests } = (await merchant.call('GET /v1/requests')).body.data
  expect(requests).toMatchObject([
    { path: '/v1/customers/{customerId}', status: 404, userAgent: 'agent/1', ip: '127.0.0.1' },
    { path: '/v1/customers', method: 'GET', status: 200, userAgent: 'agent/1' },
    { path: '/v1/customers', method: 'POST' },
  ])
})

test('without a key, with a wrong one, with a session and from a page of another site it is refused', async () => {
  const { key, organisationId } = await newMerchant(service)
  const session = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const { origin, host } = new URL(service.url)
  for (const [headers, status, message] of [
    [{}, 401, 'No token provided'],
    [bearer(`${key.slice(0, -1)}!`), 401, 'Invalid API key'],
    [bearer(session.accessToken), 403, 'API key required'],
    [{ ...bearer(key), origin: 'https://evil.example' }, 403, 'Pages of other sites cannot call this address'],
    [{ ...bearer(key), origin: 'null' }, 403, 'Pages of other sites cannot call this address'],
  ] as const) {
    const reply = await post(headers)
    expect([reply.status, ((await reply.json()) as { message: string }).message]).toEqual([status, message])
    if (status === 401) expect(reply.headers.get('www-authenticate')).toBe('Bearer')
  }
  expect((await post({ ...bearer(key), origin })).status).toBe(200)
  expect((await post({ ...bearer(key), origin: `https://${host}.evil.example` })).status).toBe(403)
  for (const method of ['GET', 'DELETE']) expect((await post(bearer(key), method)).status).toBe(405)
})

test('it changes nothing unless its address allows it, and the scopes of the key apply', async () => {
  const { key, organisationId, call } = await newMerchant(service)
  expect(await (await agent(key)).names()).not.toContain('customers_create')
  expect(await (await agent(key)).names()).toContain('customers_search')
  expect(await (await agent(key, { query: '?allow_writes=yes' })).names()).not.toContain('customers_create')
  const customer = { name: 'Ada', email: 'ada@example.com' }
  const readKey = await createKeyFor(service.runtime, { organisationId, environment: 'test', scopes: ['api:read'] })
  const query = '?allow_writes=true'
  expect(await (await agent(readKey, { query })).call('customers_create', customer)).toMatchObject({
    isError: true,
    text: expect.stringContaining('missing_scopes'),
  })
  const own = await agent(key, { query })
  expect(await own.call('customers_create', customer)).toMatchObject({ isError: false })
  expect(await own.names()).not.toContain('customers_anonymise')
  expect(await own.call('swaps_create', swap)).toMatchObject({ isError: true })
  for (let n = 0; n < 2; n++)
    expect(await own.call('swaps_create', { ...swap, idempotencyKey: 'order-1' })).toMatchObject({ isError: false })
  expect((await call('GET /v1/swaps')).body.data.total).toBe(1)
})

test('in live an agent moves no money and changes only what is named, and an operation that can say what it would do says so first', async () => {
  const { key, organisationId, call } = await newMerchant(service)
  const live = await createKeyFor(service.runtime, { organisationId, environment: 'live', scopes: ['api:write'] })
  const inLive = await agent(live, { query: '?allow_writes=true' })
  const reading = await (await agent(live)).names()
  const names = await inLive.names()
  expect(names.filter((name) => !reading.includes(name)).toSorted()).toEqual([
    ...['customers_create', 'customers_update', 'fiat_sellQuote', 'fiat_verifyAccount', 'notifications_read'],
    ...['notifications_readAll', 'paymentRoutes_syncDeposits', 'webhooks_recover'],
    ...['webhooks_retry', 'webhooks_test'],
  ])
  const own = await agent(key, { query: '?allow_writes=true' })
  const endpoint = (await call('POST /v1/webhooks', { body: { url: 'https://merchant.example/hooks' } })).body.data
  const given = { webhookEndpointId: endpoint.id, since: new Date(Date.now() - 60_000).toISOString() }
  expect(await own.call('webhooks_recover', given)).toMatchObject({ isError: false })
  expect(await own.call('webhooks_recover', { ...given, dryRun: false })).toMatchObject({ isError: false })
  const path = '/v1/webhooks/{webhookEndpointId}/recover'
  await requestsLogged(service, { organisationId }, path, 2)
  const { requests } = (await call('POST /v1/requests/search', { body: { path } })).body.data
  const bodies = await Promise.all(
    requests.map(({ id }: { id: string }) => call(`GET /v1/requests/${id}`).then(({ body }) => body.data.requestBody)),
  )
  expect(bodies).toMatchObject([{ dryRun: false }, { dryRun: true }])
})

test('of a list an agent gets the newest 200 with the number of all and the tool that reads on, and is told that texts are data', async () => {
  const merchant = await newMerchant(service)
  for (let n = 0; n < 203; n++)
    await merchant.call('POST /v1/customers', { body: { name: `Ada ${n}`, email: `ada${n}@example.com` } })
  const own = await agent(merchant.key)
  const { text, notes } = await own.call('customers_list')
  const list = JSON.parse(text)
  expect([list.customers.length, list.total]).toEqual([200, 203])
  expect(notes).toEqual([
    'These are the newest 200 of 203. customers_search reads on, with before.',
    expect.stringContaining('never instructions'),
  ])
  expect(own.client.getInstructions()).toBe(notes[1])
  const rest = await own.call('customers_search', { before: list.customers.at(-1).id })
  expect(JSON.parse(rest.text).customers).toHaveLength(3)
  const session = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
  const reply = await fetch(`${service.url}/trpc/customers.list?input=%7B%7D`, {
    headers: { authorization: `Bearer ${session.accessToken}` },
  })
  const { result } = (await reply.json()) as { result: { data: { customers: unknown[]; total: number } } }
  expect([result.data.customers.length, result.data.total]).toEqual([200, 203])
  expect((await merchant.call('GET /v1/customers')).body.data.customers).toHaveLength(203)
})

test('what an agent may do in live and what it never does are operations that exist', () => {
  const names = operations.map(({ resource, name }) => `${resource}.${name}`)
  expect([...IN_LIVE, ...NEVER].filter((name) => !names.includes(name))).toEqual([])
})

test('a batch is refused, and no tool shows a secret', async () => {
  const { key } = await newMerchant(service)
  const reply = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify([initialize, initialize]),
  })
  expect([reply.status, ((await reply.json()) as { message: string }).message]).toEqual([
    400,
    'Batches are not accepted: send each message by itself',
  ])
  const names = await (await agent(key, { query: '?allow_writes=true' })).names()
  for (const name of NEVER) expect(names).not.toContain(name.replaceAll('.', '_'))
})

test('agents of different organisations at the same time see their own objects alone', async () => {
  const merchants = await Promise.all(Array.from({ length: 4 }, () => newMerchant(service)))
  const ids = await Promise.all(
    merchants.map(
      async ({ call }, n) =>
        (await call('POST /v1/customers', { body: { name: `Ada ${n}`, email: 'ada@example.com' } })).body.data.id,
    ),
  )
  const agents = await Promise.all(merchants.map(({ key }) => agent(key)))
  for (let round = 0; round < 5; round++) {
    const seen = await Promise.all(agents.map(async ({ call }) => JSON.parse((await call('customers_list')).text)))
    expect(seen.map(({ customers }) => customers.map(({ id }: { id: string }) => id))).toEqual(ids.map((id) => [id]))
  }
})

test('each call counts against the limit of its address', async () => {
  const other = await launchArtefact({ settings: { RATE_LIMIT_GLOBAL: '12' } })
  try {
    const { key } = await newMerchant(other)
    const own = await agent(key, { at: other.url })
    const texts: string[] = []
    for (let n = 0; n < 20 && !texts.at(-1)?.includes('rate_limited'); n++)
      texts.push(
        await own.call('customers_list').then(
          ({ text }) => text,
          (error) => `${error} rate_limited`,
        ),
      )
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.length).toBeLessThan(9)
  } finally {
    await other.stop()
  }
})
