import { UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type NearIntentsServer, startNearIntents } from '../test/server.ts'
import { diagnoseNearIntents } from './diagnose.ts'

let server: NearIntentsServer
beforeEach(async () => {
  server = await startNearIntents()
})
afterEach(() => server.close())

const DAY_MS = 86_400_000
const tokenFor = (days: number) =>
  new UnsecuredJWT({}).setExpirationTime(new Date(Date.now() + days * DAY_MS + 60_000)).encode()
const outcome = async (token: string, options: object = {}) => {
  const found = await diagnoseNearIntents({
    baseUrl: server.url,
    token,
    slippage: 100,
    timeoutMs: 500,
    retryMs: 1,
    ...options,
  })
  expect(found.filter(({ status, action }) => (status === 'failed' || status === 'warning') && !action)).toEqual([])
  expect(JSON.stringify(found)).not.toContain(token)
  return Object.fromEntries(found.map(({ check, status }) => [check.replace('near-intents: ', ''), status]))
}
const OK = { token: 'ok', 'networks and currencies': 'ok', quotes: 'ok' }

test('with a token that works everything is in order, and no swap is created', async () => {
  expect(await outcome(tokenFor(90))).toEqual(OK)
  expect(server.swaps).toEqual([])
})

test('a token that ends soon is a warning, one that has ended or is none is a failure', async () => {
  expect(await outcome(tokenFor(13))).toEqual({ ...OK, token: 'warning' })
  expect(await outcome(tokenFor(-2))).toEqual({ ...OK, token: 'failed' })
  expect(await outcome('no token at all')).toEqual({ ...OK, token: 'failed' })
})

test('a refused token, a wrong address and tokens that are not listed are told', async () => {
  server.spoil = (line) => (line === 'POST /v0/quote' ? { status: 401 } : undefined)
  expect(await outcome(tokenFor(90))).toEqual({ ...OK, quotes: 'failed' })
  server.spoil = () => undefined
  const failed = { token: 'ok', 'networks and currencies': 'failed', quotes: 'failed' }
  expect(await outcome(tokenFor(90), { baseUrl: 'http://127.0.0.1:1' })).toEqual(failed)
  server.tokens = (server.tokens as { blockchain: string }[]).filter(({ blockchain }) => blockchain !== 'tron')
  expect(await outcome(tokenFor(90))).toEqual({ ...OK, 'networks and currencies': 'warning' })
  server.tokens = []
  expect(await outcome(tokenFor(90))).toEqual(failed)
})
