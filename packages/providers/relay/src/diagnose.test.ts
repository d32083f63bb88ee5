import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RelayServer, startRelay } from '../test/server.ts'
import { diagnoseRelay } from './diagnose.ts'

let server: RelayServer
beforeEach(async () => {
  server = await startRelay()
})
afterEach(() => server.close())

const outcome = async (options: object = {}) => {
  const given = {
    baseUrl: server.url,
    apiKey: 'relay-key',
    requestsPerMinute: 150,
    timeoutMs: 500,
    retryMs: 1,
    ...options,
  }
  const found = await diagnoseRelay(given)
  expect(found.filter(({ status, action }) => (status === 'failed' || status === 'warning') && !action)).toEqual([])
  expect(JSON.stringify(found)).not.toContain('relay-key')
  return Object.fromEntries(found.map(({ check, status }) => [check.replace('relay: ', ''), status]))
}
const OK = { 'networks and currencies': 'ok', quotes: 'ok', 'changes of this key': 'ok' }

test('with a key that works everything is in order, and no deposit address is created', async () => {
  expect(await outcome()).toEqual(OK)
  expect(server.requests).toEqual([])
})

test('a refused key, a wrong address and a server that fails are failures', async () => {
  for (const status of [401, 403, 500]) {
    server.spoil = () => ({ status })
    expect([status, await outcome()]).toEqual([
      status,
      { 'networks and currencies': 'failed', quotes: 'failed', 'changes of this key': 'failed' },
    ])
  }
  expect(Object.values(await outcome({ baseUrl: 'http://127.0.0.1:1' }))).toEqual(['failed', 'failed', 'failed'])
})

test('a network that Relay has disabled is a warning, and none at all is a failure', async () => {
  server.chains.splice(0, 1, { ...(server.chains[0] as object), disabled: true } as (typeof server.chains)[number])
  expect(await outcome()).toEqual({ ...OK, 'networks and currencies': 'warning' })
  server.chains.splice(0)
  expect(await outcome()).toEqual({ ...OK, 'networks and currencies': 'failed' })
})
