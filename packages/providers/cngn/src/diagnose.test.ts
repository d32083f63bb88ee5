import { afterEach, beforeEach, expect, test } from 'vitest'
import { useService } from '#testing'
import { x25519BySodium } from '../test/seal.ts'
import { type CngnServer, startCngn } from '../test/server.ts'
import { diagnoseCngn } from './diagnose.ts'

const service = useService()
let server: CngnServer
beforeEach(async () => {
  server = await startCngn()
})
afterEach(() => server.close())

const CHECKS = ['key, address and answers', 'encryption of requests', 'networks', 'movements', 'callbacks'] as const
const outcome = async (options: object = {}, pool?: (typeof service.runtime)['pool']) => {
  const found = await diagnoseCngn(
    {
      ...{ baseUrl: server.url, apiKey: server.apiKey, encryptionKey: server.encryptionKey, timeoutMs: 500 },
      ...{
        secret: x25519BySodium(server.key.seed),
        webhookSecret: 'callback secret',
        requestsPerMinute: 20,
        ...options,
      },
    },
    pool,
  )
  expect(found.filter(({ status, action }) => (status === 'failed' || status === 'warning') && !action)).toEqual([])
  expect(JSON.stringify(found)).not.toContain(server.apiKey)
  return found.map(({ check, status }) => [check.replace('cngn: ', ''), status])
}
const all = (status: string, but: Partial<Record<(typeof CHECKS)[number], string>> = {}) =>
  CHECKS.map((check) => [check, but[check] ?? status])

test('with keys that work everything is in order, and no money moves', async () => {
  await server.pay('a-payer', 100_000n)
  expect(await outcome()).toEqual(all('ok'))
  expect(server.transactions.length).toBe(1)
})

test('a refused key, an address that is not allowed and a key that opens no answer stop the other checks', async () => {
  const stopped = all('skipped', { 'key, address and answers': 'failed' })
  expect(await outcome({ apiKey: 'another' })).toEqual(stopped)
  server.fail({ status: 403, message: 'IP address not whitelisted' })
  expect(await outcome()).toEqual(stopped)
  expect(await outcome({ secret: new Uint8Array(32).fill(7) })).toEqual(stopped)
})

test('another encryption key, movements that cannot be read and a missing secret of callbacks are told', async () => {
  server.spoil = (line) => (line === 'POST /account/verify' ? { status: 400, message: 'Decryption failed' } : undefined)
  expect(await outcome()).toEqual(all('ok', { 'encryption of requests': 'failed' }))
  server.spoil = () => undefined
  await server.pay('a-payer', 100_000n)
  server.distort = (page) => page.map((each) => ({ ...each, amount: 'many' }))
  expect(await outcome()).toEqual(all('ok', { movements: 'failed' }))
  expect(await outcome({ webhookSecret: undefined })).toEqual(all('ok', { movements: 'failed', callbacks: 'warning' }))
})

test('the calls are taken from the limit that all processes share: without a free one nothing is asked', async () => {
  const { pool } = service.runtime
  expect(await outcome({}, pool)).toEqual(all('ok'))
  const before = server.calls.length
  expect(await outcome({ requestsPerMinute: 5 }, pool)).toEqual(
    all('skipped', { 'key, address and answers': 'failed' }),
  )
  expect(server.calls.length).toBe(before)
})
