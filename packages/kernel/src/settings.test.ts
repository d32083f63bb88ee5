import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadSettings } from './settings.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'payments-settings-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true, force: true }))

test('a bad setting is named in the message', () => {
  expect(() => loadSettings({ DATA_DIR, PORT: 'http' })).toThrow(/^PORT: /)
  expect(() => loadSettings({ DATA_DIR, SECRETS_KEY: 'short' })).toThrow('SECRETS_KEY: must be 32 bytes in base64')
  expect(() => loadSettings({ DATA_DIR, DATABASE_URL: 'mysql://x' })).toThrow('DATABASE_URL: must be a postgres:// URL')
  expect(() => loadSettings({ DATA_DIR, PROCESS_ROLE: 'boss', LOG_LEVEL: 'loud' })).toThrow(
    /LOG_LEVEL: .*\nPROCESS_ROLE: /s,
  )
})

test('a refund address is one of its kind of chain, so that money cannot go back to nowhere', () => {
  expect(() =>
    loadSettings({ DATA_DIR, REFUND_ADDRESS_EVM: '0x12', REFUND_ADDRESS_SVM: '0', REFUND_ADDRESS_TVM: 'T' }),
  ).toThrow(
    'REFUND_ADDRESS_EVM: must be an EVM address\nREFUND_ADDRESS_SVM: must be a Solana address\nREFUND_ADDRESS_TVM: must be a Tron address',
  )
})

test('a live provider is refused outside production', () => {
  expect(() => loadSettings({ DATA_DIR, RELAY_API_KEY: 'key' })).toThrow(
    'RELAY_API_KEY: live providers are for NODE_ENV=production alone',
  )
})

test('in production no secret has a default and no insecure setting is taken', () => {
  expect(() => loadSettings({ DATA_DIR, NODE_ENV: 'production' })).toThrow(
    'SECRETS_KEY: required in production\nJWT_PRIVATE_KEY: required in production\nSMTP_URL: required in production\nDATABASE_URL: required in production\nBASE_URL: required in production',
  )
})

test('keys generated outside production are the same after a restart', () => {
  const first = loadSettings({ DATA_DIR })
  const second = loadSettings({ DATA_DIR })
  expect([second.SECRETS_KEY, second.JWT_PRIVATE_KEY]).toEqual([first.SECRETS_KEY, first.JWT_PRIVATE_KEY])
})
