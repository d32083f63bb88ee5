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
