import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@payments/checks'
import { settingsOf } from '../providers/all-fakes.ts'
import type { Outside } from './outside.ts'

type Settings = Readonly<Record<string, string>>

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A token of the form of a partner's, which the fake does not verify. */
const NEAR_TOKEN = `${base64({ alg: 'ES256' })}.${base64({ exp: 4_102_444_800, partner: 'proof' })}.c2lnbmF0dXJl`

/** The addresses of the providers' fakes, and their keys, which are rotated. */
export const providerKeys = (outside: Outside, relayKey = 'relay-key'): Settings => ({
  ...settingsOf(outside),
  CNGN_PRIVATE_KEY: outside.cngn.key.pem.trim().replaceAll('\n', '\\n'),
  RELAY_API_KEY: relayKey,
  NEAR_INTENTS_TOKEN: NEAR_TOKEN,
  CNGN_WEBHOOK_SECRET: 'callback secret',
  QOREID_BASE_URL: outside.qoreid.url,
  QOREID_CLIENT_ID: 'client',
  QOREID_SECRET: 'secret',
})

const PAGE = readFileSync(join(root, 'docs/derived/settings.md'), 'utf8')
/** The documented settings with their defaults. */
const defaultsOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name = '', text = '']) => [name, text.replaceAll('`', '')]),
  )

/** Each process has its own. */
const OF_PROCESS = ['PORT', 'INTERNAL_PORT']

/** Another value of each number that is documented. */
const otherNumbers = (): Settings =>
  Object.fromEntries(
    [...defaultsOf(PAGE)]
      .filter(([name, text]) => /^\d+(\.\d+)?$/.test(text) && !OF_PROCESS.includes(name) && !(name in OTHERWISE))
      .map(([name, text]) => [name, String(text.includes('.') ? Number(text) / 2 : Number(text) + 1)]),
  )

/** What the operator changes: limits that the load does not reach, and another value of everything else. */
export const furtherSettings = (): Settings => ({
  ...otherNumbers(),
  RATE_LIMIT_GLOBAL: '1000000',
  RATE_LIMIT_AUTH: '1000',
  RELAY_REQUESTS_PER_MINUTE: '6000',
  RELAY_QUOTES_PER_MINUTE: '6000',
  NEAR_INTENTS_REQUESTS_PER_MINUTE: '6000',
  NEAR_INTENTS_QUOTES_PER_MINUTE: '6000',
  PAYCREST_REQUESTS_PER_MINUTE: '1200',
  PAYCREST_NEW_REQUESTS_PER_MINUTE: '500',
  CNGN_REQUESTS_PER_MINUTE: '600',
  ROUTES_PROVIDERS: 'relay,near-intents',
  FIAT_PROVIDERS: 'paycrest',
  SWAPS_PROVIDERS: 'jupiter',
  REFUND_ADDRESS_EVM: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  REFUND_ADDRESS_SVM: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
  REFUND_ADDRESS_TVM: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  RELAY_CNGN_TREASURY: 'base:0x2222222222222222222222222222222222222222',
  PAYOUT_DAILY_LIMITS: 'USDC:50000,cNGN:10000000',
  OPERATOR_LIMITS: 'USDC:500,cNGN:500000',
  // Its default is the most.
  SWAP_MAX_SLIPPAGE_PERCENT: '2',
  DNS_SERVERS: '127.0.0.1:53',
  ENV_NAME: 'lagos-1',
  CELL: '17',
  CELLS: '3=http://127.0.0.1:4003',
  MOVE_DATABASE_URL: 'postgres://payments_owner@127.0.0.1:5002/payments',
  LOG_LEVEL: 'warn',
  // Nothing listens there: a standby that is away costs no request.
  DATABASE_READ_URL: 'postgres://payments@127.0.0.1:5001/payments',
  SHUTDOWN_DELAY_SECONDS: '2',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector',
  OTEL_SERVICE_NAME: 'payments-of-the-proof',
  OTEL_TRACES_SAMPLER_ARG: '0.5',
  DASHBOARD_ORIGINS: 'https://dashboard.payments.test',
})

/** What the guide leaves as it is in production, for a process of its own that changes it. */
export const OTHERWISE: Settings = {
  REGISTRATION: 'open',
  LIVE_ACCESS: 'automatic',
  CNGN_OWN_FLOAT: '1000',
  DATABASE_ALLOW_OWNER: 'true',
  INTERNAL_HOST: '::1',
}
/** What production refuses, with what it says. */
export const REFUSED: Readonly<Record<string, { value: string; says: string }>> = {
  WEBHOOK_DEV_TARGETS: { value: 'http://127.0.0.1:9001', says: 'WEBHOOK_DEV_TARGETS: not allowed in production' },
}

/** Lines of a settings file. */
export const linesOf = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('')

/** Settings of lines like those. */
export const settingsIn = (text: string): Settings =>
  Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).replace(/^'(.*)'$/, '$1')]),
  )

/** A finding for each documented setting that no start had with another value than its default, and for each that is not documented. */
export function uncovered(starts: readonly Settings[], page = PAGE): string[] {
  const documented = defaultsOf(page)
  const given = new Set(starts.flatMap((start) => Object.keys(start)))
  const changed = (name: string) =>
    starts.some((start) => start[name] !== undefined && start[name] !== documented.get(name))
  return [
    ...[...documented.keys()]
      .filter((name) => !changed(name))
      .map((name) => `${name} has no other value than its default in any start`),
    ...[...given]
      .filter((name) => !documented.has(name) && name !== 'NODE_EXTRA_CA_CERTS')
      .map((name) => `${name} is set and is no documented setting`),
  ]
}
