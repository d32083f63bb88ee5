import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { defineSettings, listensOn, loadSettings, platformSettings, publicUrl, SettingsError } from './settings.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'payments-settings-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true, force: true }))

const load = (env: Record<string, string>, ...others: Parameters<typeof loadSettings>[1]) =>
  loadSettings({ DATA_DIR, ...env }, others)

test('the error message names every invalid setting', () => {
  expect(() => load({ SECRETS_KEY: 'short' })).toThrow('SECRETS_KEY: must be 32 bytes in base64')
  expect(() => load({ DATABASE_URL: 'mysql://x' })).toThrow('DATABASE_URL: must be a postgres:// URL')
  expect(() => load({ PROCESS_ROLE: 'boss', LOG_LEVEL: 'loud' })).toThrow(/LOG_LEVEL: .*\nPROCESS_ROLE: /s)
})

test('in production a secret has no default, and the error names all missing settings', () => {
  const own = defineSettings({ OWN_KEY: z.string().optional() }, (values, { require: requireInProduction }) => {
    requireInProduction('OWN_KEY')
    return values
  })
  expect(() => load({ NODE_ENV: 'production' }, own)).toThrow(
    'SECRETS_KEY: required in production\nDATABASE_URL: required in production\nBASE_URL: required in production\nOWN_KEY: required in production',
  )
})

test('a violated rule between several settings stops the start with its message', () => {
  const own = defineSettings({ LOW: z.coerce.number(), HIGH: z.coerce.number() }, (values) => {
    if (values.LOW > values.HIGH) throw new SettingsError('LOW: must not exceed HIGH')
    return values
  })
  expect(own.from(load({ LOW: '1', HIGH: '2' }, own))).toMatchObject({ LOW: 1, HIGH: 2 })
  expect(() => load({ LOW: '3', HIGH: '2' }, own)).toThrow('LOW: must not exceed HIGH')
})

test('a secret that was generated outside production is the same after a restart', () => {
  const [first, second] = [platformSettings.from(load({})), platformSettings.from(load({}))]
  expect(second.SECRETS_KEY).toBe(first.SECRETS_KEY)
})

test('what one package completes stays, whatever another package returns of its own settings', () => {
  const own = defineSettings({ OWN_KEY: z.string() }, (values) => ({ ...values, OWN_KEY: values.OWN_KEY.trim() }))
  const other = defineSettings({ OTHER: z.string() }, (values) => values)
  expect(own.from(load({ OWN_KEY: ' key ', OTHER: 'other' }, own, other))).toMatchObject({ OWN_KEY: 'key' })
})

test('the public address is BASE_URL without a slash at its end, else HOST and PORT as another machine can reach them', () => {
  expect(publicUrl(load({ BASE_URL: 'https://pay.example.test/' }))).toBe('https://pay.example.test')
  expect(publicUrl(load({}))).toBe('http://127.0.0.1:4000')
  expect(publicUrl(load({ HOST: '::', PORT: '5000' }))).toBe('http://localhost:5000')
  expect(publicUrl(load({ HOST: '::1', PORT: '5000' }))).toBe('http://[::1]:5000')
  const settings = load({ PORT: '0' })
  listensOn(settings, 5001)
  expect(publicUrl(settings)).toBe('http://127.0.0.1:5001')
})
