import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@payments/checks'
import type { Outside } from './outside.ts'

type Settings = Readonly<Record<string, string>>

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A token of the form of a partner's, which the fake does not verify. */
const NEAR_TOKEN = `${base64({ alg: 'ES256' })}.${base64({ exp: 4_102_444_800, partner: 'proof' })}.c2lnbmF0dXJl`

/** The keys of the providers, which are rotated. */
export const providerKeys = ({ cngn }: Outside, relayKey = 'relay-key'): Settings => ({
  RELAY_API_KEY: relayKey,
  NEAR_INTENTS_TOKEN: NEAR_TOKEN,
  PAYCREST_API_KEY: 'paycrest-key',
  PAYCREST_API_SECRET: 'paycrest-secret',
  JUPITER_API_KEY: 'jupiter-key',
  CNGN_API_KEY: cngn.apiKey,
  CNGN_ENCRYPTION_KEY: cngn.encryptionKey,
  CNGN_PRIVATE_KEY: cngn.key.pem.trim().replaceAll('\n', '\\n'),
  CNGN_WEBHOOK_SECRET: 'callback secret',
  QOREID_CLIENT_ID: 'client',
  QOREID_SECRET: 'secret',
})

/** What the operator changes: addresses of the fakes, limits that the load does not reach, and another value of everything else. */
export const furtherSettings = ({ relay, near, paycrest, exchange, node, cngn, qoreid }: Outside): Settings => ({
  RELAY_BASE_URL: relay.url,
  NEAR_INTENTS_BASE_URL: near.url,
  PAYCREST_BASE_URL: paycrest.url,
  JUPITER_BASE_URL: exchange.url,
  SOLANA_RPC_URL: node.url,
  CNGN_BASE_URL: cngn.url,
  QOREID_BASE_URL: qoreid.url,
  RATE_LIMIT_GLOBAL: '1000000',
  RATE_LIMIT_VIEWS: '4000',
  RATE_LIMIT_DASHBOARD: '5000',
  RATE_LIMIT_AUTH: '1000',
  RATE_LIMIT_WINDOW_SECONDS: '600',
  RELAY_REQUESTS_PER_MINUTE: '6000',
  RELAY_QUOTES_PER_MINUTE: '6000',
  NEAR_INTENTS_REQUESTS_PER_MINUTE: '6000',
  NEAR_INTENTS_QUOTES_PER_MINUTE: '6000',
  NEAR_INTENTS_SLIPPAGE_BASIS_POINTS: '50',
  PAYCREST_REQUESTS_PER_MINUTE: '1200',
  PAYCREST_NEW_REQUESTS_PER_MINUTE: '500',
  PAYCREST_MAX_ORDER: '5000',
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
  SWAP_MIN_AMOUNT: '2',
  INVOICE_EMAILS_PER_DAY: '400',
  SWAP_MAX_AMOUNT: '5000',
  SWAP_MIN_REFUND_AMOUNT: '0.2',
  SWAP_MAX_SLIPPAGE_PERCENT: '2',
  SWAP_FEE_PAYER_MIN_SOL: '0.5',
  SWAP_REFUND_SOL_PER_DAY: '0.2',
  SWAP_GIVE_UP_MINUTES: '90',
  SWAP_EXPIRY_MINUTES: '20',
  SWAP_RATE_SECONDS: '5',
  SWAP_RATE_CALLS_PER_MINUTE: '60',
  JUPITER_MAX_FEE_SOL: '0.001',
  QUOTE_MAX_LOSS_PERCENT: '15',
  RATE_BAND_PERCENT: '30',
  RATE_CONFIRMATIONS: '4',
  RATE_CONFIRMATION_MINUTES: '90',
  DELIVERY_TOLERANCE_PERCENT: '4',
  PAY_STREAMS_PER_ADDRESS: '20',
  FIAT_ACCOUNT_DEADLINE_SECONDS: '15',
  DNS_SERVERS: '127.0.0.1:53',
  ENV_NAME: 'lagos-1',
  CELL: '17',
  CELLS: '3=http://127.0.0.1:4003',
  MOVE_DATABASE_URL: 'postgres://payments_owner@127.0.0.1:5002/payments',
  LOG_LEVEL: 'warn',
  DATABASE_POOL: '8',
  DATABASE_WORKER_POOL: '4',
  // Nothing listens there: a standby that is away costs no request.
  DATABASE_READ_URL: 'postgres://payments@127.0.0.1:5001/payments',
  DATABASE_ACQUIRE_SECONDS: '4',
  ORGANISATION_CONCURRENCY: '6',
  ORGANISATION_WAITING: '200',
  IDEMPOTENCY_RETENTION_HOURS: '48',
  IDEMPOTENCY_WAIT_SECONDS: '8',
  SHUTDOWN_DELAY_SECONDS: '2',
  SHUTDOWN_SECONDS: '8',
  STALLED_SECONDS: '45',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector',
  OTEL_SERVICE_NAME: 'payments-of-the-proof',
  OTEL_TRACES_SAMPLER_ARG: '0.5',
  CONNECTIONS_TOTAL: '4000',
  CONNECTIONS_PER_ADDRESS: '200',
  DASHBOARD_ORIGINS: 'https://dashboard.payments.test',
  RETENTION_REQUEST_LOG_DAYS: '14',
  RETENTION_SESSIONS_DAYS: '14',
  RETENTION_NOTIFICATIONS_DAYS: '180',
  RETENTION_EVENTS_DAYS: '60',
  RETENTION_DELIVERIES_DAYS: '20',
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
export const settingsOf = (text: string): Settings =>
  Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).replace(/^'(.*)'$/, '$1')]),
  )

/** A finding for each documented setting that no start had with another value than its default, and for each that is not documented. */
export function uncovered(
  starts: readonly Settings[],
  page = readFileSync(join(root, 'docs/derived/settings.md'), 'utf8'),
): string[] {
  const documented = new Map(
    [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name = '', text = '']) => [name, text.replaceAll('`', '')]),
  )
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
