import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PaycrestServer, startPaycrest } from '../test/server.ts'
import { diagnosePaycrest } from './diagnose.ts'

let server: PaycrestServer
beforeEach(async () => {
  server = await startPaycrest()
})
afterEach(() => server.close())

const outcome = async (options: object = {}) => {
  const found = await diagnosePaycrest({
    ...{ baseUrl: server.url, apiKey: 'paycrest-key', apiSecret: 'paycrest-secret', requestsPerMinute: 600 },
    ...{ maxOrder: 10_000, timeoutMs: 500, retryMs: 1, ...options },
  })
  expect(found.filter(({ status, action }) => (status === 'failed' || status === 'warning') && !action)).toEqual([])
  expect(JSON.stringify(found)).not.toMatch(/paycrest-(key|secret)/)
  return Object.fromEntries(found.map(({ check, status }) => [check.replace('paycrest: ', ''), status]))
}
const OK = { 'currencies and networks': 'ok', rates: 'ok', key: 'ok', 'an order that it does not know': 'ok' }

test('with a key that works everything is in order, and no order is created', async () => {
  expect(await outcome()).toEqual(OK)
  expect(server.orders).toEqual([])
})

test('a refused key fails where it is needed', async () => {
  expect(await outcome({ apiKey: 'another' })).toEqual({
    ...OK,
    key: 'failed',
    'an order that it does not know': 'failed',
  })
})

test('a wrong base URL and a server that fails are failures', async () => {
  const all = Object.fromEntries(Object.keys(OK).map((check) => [check, 'failed']))
  expect(await outcome({ baseUrl: `${server.url}/v3` })).toEqual(all)
  server.spoil = () => ({ status: 503 })
  expect(await outcome()).toEqual(all)
})

test('another text for an order that does not exist is a failure: cancelled orders could not be recognised', async () => {
  server.spoil = (line) =>
    line.startsWith('GET /sender/orders/')
      ? { status: 404, body: '{"status":"error","message":"No such order"}' }
      : undefined
  expect(await outcome()).toEqual({ ...OK, 'an order that it does not know': 'failed' })
})
