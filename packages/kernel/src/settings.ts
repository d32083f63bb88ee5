import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { isAddressOf } from './addresses.ts'

const seconds = z.coerce.number().int().positive()
const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.string()))
const origins = list.pipe(
  z.array(
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => new URL(text).origin === text, 'must be an origin like http://127.0.0.1:9000'),
  ),
)
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })

/** Every setting of the service, once: name, rule, default and meaning. `docs/derived/settings.md` is made from it. */
export const settingsSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .describe('`production` removes every insecure default'),
  PORT: z.coerce.number().int().min(0).max(65535).default(4000).describe('Port of the public API; 0 picks a free one'),
  HOST: z.string().min(1).optional().describe('Address to listen on; 127.0.0.1 outside production, else all'),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Public address without `/v1`; default `http://HOST:PORT`'),
  INTERNAL_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(4001)
    .describe('Port of `/metrics`, on HOST; 0 picks a free one'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Embedded database, generated keys and, without SMTP_URL, mail'),
  DATABASE_URL: postgresUrl.optional().describe('PostgreSQL 15 or newer; unset: an embedded server in DATA_DIR'),
  DATABASE_OWNER_URL: postgresUrl.optional().describe('Role that owns the tables and migrates; default DATABASE_URL'),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10).describe('Connections of one process'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Lowest level that is written'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
    .optional()
    .describe('Where mail goes; unset: files in DATA_DIR/mail'),
  MAIL_FROM: z.string().min(3).default('Payments <payments@localhost>').describe('Sender of every mail'),
  OPERATOR_EMAILS: list
    .pipe(z.array(z.email().toLowerCase()))
    .default([])
    .describe('Comma-separated e-mails that sign in as operators'),
  SECRETS_KEY: z
    .string()
    .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64')
    .optional()
    .describe('Key of secrets at rest, 32 bytes in base64; required in production'),
  JWT_PRIVATE_KEY: z
    .string()
    .refine((text) => isEd25519(text), 'must be an Ed25519 private key in PEM (PKCS#8)')
    .optional()
    .describe('Ed25519 key that signs access tokens, PEM; required in production'),
  JWT_ACCEPTED_PUBLIC_KEYS: z
    .string()
    .transform(pemBlocks)
    .refine((blocks) => blocks.every(isEd25519Public), 'must be Ed25519 public keys in PEM, one after another')
    .default([])
    .describe('Further keys whose access tokens are accepted: the one before the signing key, or the next one'),
  TRUST_PROXY: list
    .pipe(z.array(z.string().refine(isProxy, 'must be IP addresses or CIDR ranges')))
    .default([])
    .describe('Comma-separated addresses or CIDR ranges of the proxies whose X-Forwarded-* is believed'),
  DASHBOARD_ORIGINS: origins.default([]).describe('Comma-separated origins that browsers may call from'),
  RATE_LIMIT_GLOBAL: z.coerce.number().int().positive().default(200).describe('Requests of one IP per window'),
  RATE_LIMIT_AUTH: z.coerce.number().int().positive().default(20).describe('Requests of one IP per window to /v1/auth'),
  RATE_LIMIT_WINDOW_SECONDS: seconds.default(900).describe('Length of a window'),
  IDEMPOTENCY_RETENTION_HOURS: z.coerce
    .number()
    .positive()
    .max(720)
    .default(24)
    .describe('How long a reply can be replayed'),
  IDEMPOTENCY_WAIT_SECONDS: seconds.max(60).default(10).describe('How long a duplicate waits for the first request'),
  WEBHOOK_DEV_TARGETS: origins
    .optional()
    .describe('Exact origins exempt from the target rules; http://127.0.0.1:9000 outside production, refused there'),
  PROCESS_ROLE: z.enum(['all', 'gateway', 'worker']).default('all').describe('Which part this process runs'),
  SHUTDOWN_SECONDS: seconds.default(10).describe('How long requests in flight may take after a stop signal'),
  REFUND_ADDRESS_EVM: z
    .string()
    .refine((text) => isAddressOf('evm', text), 'must be an EVM address')
    .optional()
    .describe('Where EVM deposits that fail go back to when neither their route nor its organisation names an address'),
  REFUND_ADDRESS_SVM: z
    .string()
    .refine((text) => isAddressOf('svm', text), 'must be a Solana address')
    .optional()
    .describe('The same for Solana'),
  REFUND_ADDRESS_TVM: z
    .string()
    .refine((text) => isAddressOf('tvm', text), 'must be a Tron address')
    .optional()
    .describe('The same for Tron'),
  RELAY_API_KEY: z.string().min(1).optional().describe('Key of Relay; payment routes are live with it'),
  RELAY_BASE_URL: z
    .url({ protocol: /^https$/ })
    .default('https://api.relay.link')
    .describe('Where Relay answers'),
  RELAY_REQUESTS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(6)
    .max(60_000)
    .default(150)
    .describe('Looks at deposit addresses, over all processes; a plain key may make 200 calls a minute'),
})

type Parsed = z.infer<typeof settingsSchema>

/** Settings with every derived default filled in. */
export interface Settings extends Omit<Parsed, 'HOST' | 'SECRETS_KEY' | 'JWT_PRIVATE_KEY' | 'WEBHOOK_DEV_TARGETS'> {
  readonly WEBHOOK_DEV_TARGETS: readonly string[]
  readonly HOST: string
  readonly SECRETS_KEY: string
  readonly JWT_PRIVATE_KEY: string
  readonly production: boolean
}

/** A bad or missing setting. The message names it; the process ends with it. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** The blocks of a text of concatenated PEM; what is no block at all counts as one, so that it is refused. */
function pemBlocks(text: string): string[] {
  const plain = text.replaceAll('\\n', '\n').trim()
  return plain.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? (plain ? [plain] : [])
}

/** An address, a range, or one of the names that `proxy-addr` knows. */
function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const longest = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= longest))
  )
}

function isEd25519Public(pem: string): boolean {
  try {
    return !pem.includes('PRIVATE') && createPublicKey(pem).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

function isEd25519(pem: string): boolean {
  try {
    return createPrivateKey(pem.replaceAll('\\n', '\n')).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

/**
 * Reads the settings from an environment. Outside production, missing keys are generated once and kept in DATA_DIR.
 * @throws SettingsError that names every setting that is wrong.
 */
export function loadSettings(env: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = settingsSchema.safeParse(given)
  if (!parsed.success) {
    throw new SettingsError(
      parsed.error.issues.map((issue) => `${issue.path[0]?.toString()}: ${issue.message}`).join('\n'),
    )
  }
  const settings = parsed.data
  const production = settings.NODE_ENV === 'production'
  if (production) {
    const missing = (['SECRETS_KEY', 'JWT_PRIVATE_KEY', 'SMTP_URL', 'DATABASE_URL', 'BASE_URL'] as const).filter(
      (name) => !settings[name],
    )
    if (missing.length > 0) throw new SettingsError(missing.map((name) => `${name}: required in production`).join('\n'))
    if (!settings.BASE_URL?.startsWith('https://')) throw new SettingsError('BASE_URL: must be https:// in production')
    if (settings.WEBHOOK_DEV_TARGETS?.length) throw new SettingsError('WEBHOOK_DEV_TARGETS: not allowed in production')
  } else if (settings.RELAY_API_KEY) {
    throw new SettingsError('RELAY_API_KEY: live providers are for NODE_ENV=production alone')
  }
  const dataDir = resolve(settings.DATA_DIR)
  return {
    ...settings,
    DATA_DIR: dataDir,
    WEBHOOK_DEV_TARGETS: settings.WEBHOOK_DEV_TARGETS ?? (production ? [] : ['http://127.0.0.1:9000']),
    HOST: settings.HOST ?? (production ? '::' : '127.0.0.1'),
    SECRETS_KEY: settings.SECRETS_KEY ?? kept(dataDir, 'secrets.key', () => randomBytes(32).toString('base64')),
    JWT_PRIVATE_KEY: (
      settings.JWT_PRIVATE_KEY ??
      kept(dataDir, 'jwt.pem', () =>
        generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      )
    ).replaceAll('\\n', '\n'),
    production,
  }
}

/** A generated secret that survives restarts. */
function kept(dataDir: string, name: string, make: () => string): string {
  const file = join(dataDir, name)
  try {
    if (existsSync(file)) return readFileSync(file, 'utf8')
    mkdirSync(dataDir, { recursive: true })
    const value = make()
    writeFileSync(file, value, { mode: 0o600, flag: 'wx' })
    return value
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && syscall === 'open') return readFileSync(file, 'utf8')
    throw new SettingsError(`DATA_DIR: ${file} cannot be read or written (${(error as Error).message})`)
  }
}
