import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountsSettings } from '@payments/accounts'
import { loadServiceSettings } from '@payments/api'
import { afterAll, expect, test } from 'vitest'
import { adapters } from './adapters.ts'
import { gatewaySettings } from './settings.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'payments-settings-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true, force: true }))

const load = (env: Record<string, string> = {}) =>
  loadServiceSettings({ DATA_DIR, ...env }, [{ settings: gatewaySettings }, ...adapters])

test('the error message names every invalid setting, of every part of the service', () => {
  expect(() => load({ PORT: 'http' })).toThrow(/^PORT: /)
  expect(() => load({ REFUND_ADDRESS_EVM: '0x12', REFUND_ADDRESS_SVM: '0', REFUND_ADDRESS_TVM: 'T' })).toThrow(
    'REFUND_ADDRESS_EVM: must be an EVM address: 0x and 40 hexadecimal digits\nREFUND_ADDRESS_SVM: must be a Solana address: 32 bytes in base58\nREFUND_ADDRESS_TVM: must be a Tron address: T and 33 base58 characters',
  )
})

test('a live provider is refused outside production', () => {
  expect(() => load({ RELAY_API_KEY: 'key' })).toThrow('RELAY_API_KEY: live providers are for NODE_ENV=production only')
})

test('in production no secret has a default', () => {
  expect(() => load({ NODE_ENV: 'production' })).toThrow(
    'SECRETS_KEY: required in production\nDATABASE_URL: required in production\nBASE_URL: required in production\nJWT_PRIVATE_KEY: required in production\nSMTP_URL: required in production',
  )
})

const PRODUCTION = {
  NODE_ENV: 'production',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  DATABASE_URL: 'postgres://service@127.0.0.1/payments',
  BASE_URL: 'https://api.example.com',
  JWT_PRIVATE_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  SMTP_URL: 'smtp://mail.invalid',
}

test('in production nobody registers uninvited, live access needs approval, and the internal server is on loopback', () => {
  const production = load(PRODUCTION)
  expect(accountsSettings.from(production)).toMatchObject({ REGISTRATION: 'invite', LIVE_ACCESS: 'approved' })
  expect(gatewaySettings.from(production).INTERNAL_HOST).toBe('127.0.0.1')
  expect(accountsSettings.from(load())).toMatchObject({ REGISTRATION: 'open', LIVE_ACCESS: 'automatic' })
})

test('in production SMTP_URL has no options, because some switch encryption off', () => {
  const SMTP_URL = 'smtp://mail.invalid?ignoreTLS=true'
  expect(() => load({ ...PRODUCTION, SMTP_URL })).toThrow('SMTP_URL: must have no options after ? in production')
})

test('a signing key that was generated outside production is the same after a restart', () => {
  const [first, second] = [accountsSettings.from(load()), accountsSettings.from(load())]
  expect(second.JWT_PRIVATE_KEY).toBe(first.JWT_PRIVATE_KEY)
})

test('headers for the collector are names with values, which may be percent-encoded', () => {
  const headers = (OTEL_EXPORTER_OTLP_HEADERS: string) =>
    gatewaySettings.from(load({ OTEL_EXPORTER_OTLP_HEADERS })).OTEL_EXPORTER_OTLP_HEADERS
  expect(headers('authorization=Basic%20YTpi==, x-tenant=one')).toEqual({
    authorization: 'Basic YTpi==',
    'x-tenant': 'one',
  })
  for (const wrong of ['authorization', 'a b=c', 'a=%zz'])
    expect(() => headers(wrong)).toThrow('OTEL_EXPORTER_OTLP_HEADERS: must be like name=value,other=value')
})
