import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AmountError, type Asset, assetOf, LAST_CELL, toMinor } from '@payments/kernel'
import { z } from 'zod'
import { secretKeys } from './secrets.ts'

/** An invalid or missing setting. The message names the setting; the process prints it and ends. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** Functions that a declaration can use to complete its settings. */
export interface SettingsProcess {
  readonly production: boolean
  /** A secret that is generated once and stored in a private file of DATA_DIR, so that it survives restarts. */
  keep(file: string, generate: () => string): string
  /** @throws SettingsError in production when one of these is not set. */
  require(...names: readonly string[]): void
}

/** The loaded settings. Each package reads its own settings with the `from` of its declaration. */
export interface Settings {
  readonly production: boolean
  readonly DATA_DIR: string
}

/** The settings of one package: names, rules, defaults and descriptions. `docs/derived/settings.md` is generated from them. */
export interface SettingsDeclaration<S extends z.ZodRawShape = z.ZodRawShape, C = z.output<z.ZodObject<S>>> {
  readonly shape: S
  complete(values: z.output<z.ZodObject<S>>, process: SettingsProcess): C
  /** These settings, typed. */
  from(settings: Settings): C
}

/**
 * Declares the settings of a package. `complete` fills in defaults that depend on other settings, and checks rules that
 * involve several settings.
 */
export function defineSettings<S extends z.ZodRawShape, C = z.output<z.ZodObject<S>>>(
  shape: S,
  complete?: (values: z.output<z.ZodObject<S>>, process: SettingsProcess) => C,
): SettingsDeclaration<S, C> {
  return {
    shape,
    complete: complete ?? ((values) => values as C),
    from: (settings) => settings as unknown as C,
  }
}

/** A number of seconds, as text or number. */
export const secondsSetting = z.coerce.number().int().positive('must be a positive whole number of seconds')

/** A number of percent. */
const percentSetting = z.coerce.number().min(0).max(100)

/** A TCP port; 0 selects a free one. */
export const portSetting = z.coerce.number().int().min(0).max(65535)

/** For how many days data is kept. */
export const daysSetting = z.coerce.number().int().min(1, 'must be at least 1 day').max(36_500)

/** Comma-separated values. */
export const listSetting = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.string()))

/** Amounts by asset, each asset once, `USDC:50000,EURC:20000`, in minor units. */
export const amountsSetting = listSetting.transform((parts, context) => {
  const amounts = new Map<string, bigint>()
  for (const part of parts) {
    const [symbol = '', text = ''] = part.split(':')
    const asset = assetOf(symbol)
    const amount = asset && minorOf(text, asset)
    if (amount === undefined || amounts.has(symbol))
      context.addIssue({
        code: 'custom',
        message: `must be like USDC:50000,EURC:20000, each asset once; not "${part}"`,
      })
    else amounts.set(symbol, amount)
  }
  return amounts
})

function minorOf(amount: string, asset: Asset): bigint | undefined {
  try {
    return toMinor(amount, asset)
  } catch (error) {
    if (error instanceof AmountError) return undefined
    throw error
  }
}

/** Names of providers by what an order depends on, such as a currency; those for everything else are at `''`. */
export type ProviderOrder = ReadonlyMap<string, readonly string[]>

const PROVIDER_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** The providers that take new objects, in the order in which they are asked: `first,second`, or `NGN=second,first;first,second`. */
export const providersSetting = z.string().transform((text, context): ProviderOrder => {
  const orders = new Map<string, readonly string[]>()
  for (const part of text.split(';')) {
    const [list = '', scope = ''] = part.split('=').toReversed()
    const names = list.split(',').map((name) => name.trim())
    const wrong = names.find((name) => !PROVIDER_NAME.test(name))
    if (wrong !== undefined || new Set(names).size < names.length || orders.has(scope.trim()))
      context.addIssue({
        code: 'custom',
        message: `must be names of providers like first,second or NGN=second,first;first,second; not "${part}"`,
      })
    orders.set(scope.trim(), names)
  }
  return orders
})

/** Comma-separated origins. */
export const originsSetting = listSetting.pipe(
  z.array(
    z
      .url({ protocol: /^https?$/, error: 'must be origins like http://127.0.0.1:9000' })
      .refine((text) => new URL(text).origin === text, 'must be origins like http://127.0.0.1:9000'),
  ),
)

/** Numbers of cells with their addresses, `1=https://one.example.com`, each once. */
const cellsSetting = listSetting.transform((parts, context) => {
  const cells = new Map<number, string>()
  for (const part of parts) {
    const [, number = '', address = ''] = /^(\d+)=(.+)$/.exec(part) ?? []
    const url = URL.parse(address)
    if (
      !/^https?:$/.test(url?.protocol ?? '') ||
      url?.origin !== address ||
      Number(number) > LAST_CELL ||
      cells.has(Number(number))
    )
      context.addIssue({
        code: 'custom',
        message: `must be like 1=https://one.example.com,2=https://two.example.com, each number once; not "${part}"`,
      })
    else cells.set(Number(number), address)
  }
  return cells as ReadonlyMap<number, string>
})

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })

/** The settings of every process. */
export const platformSettings = defineSettings(
  {
    NODE_ENV: z
      .enum(['development', 'test', 'production'])
      .default('development')
      .describe('`production` removes every insecure default'),
    ENV_NAME: z
      .string()
      .regex(/^[\w.-]{1,40}$/, 'must have 1 to 40 letters, digits, _, . or -')
      .optional()
      .describe('Name of this installation, shown as `env` by `/health`; default NODE_ENV'),
    CELL: z.coerce
      .number()
      .int()
      .min(0, `must be a whole number from 0 to ${LAST_CELL}`)
      .max(LAST_CELL, `must be a whole number from 0 to ${LAST_CELL}`)
      .default(0)
      .describe(
        'Number of this installation among several behind one address (cells), 0 to 4095; in everything that it makes, so it never changes. An installation alone is 0',
      ),
    CELLS: cellsSetting
      .default(new Map())
      .describe(
        'The other cells, for operators: number and address of each, `1=https://one.example.com,2=https://two.example.com`. Not the address that they share: one that reaches the cell alone',
      ),
    MOVE_DATABASE_URL: postgresUrl
      .optional()
      .describe(
        'Of `payments organisations move` alone: the database of the cell that takes an organisation, as the owner of its tables. Set it for the command, not for the service',
      ),
    DATA_DIR: z
      .string()
      .min(1)
      .default('.data')
      .describe('Embedded database, generated keys and, without SMTP_URL, emails'),
    DATABASE_URL: postgresUrl
      .optional()
      .describe('PostgreSQL 15 or newer; unset: an embedded server in DATA_DIR. Required in production'),
    DATABASE_OWNER_URL: postgresUrl
      .optional()
      .describe('Role that owns the tables and migrates; default DATABASE_DIRECT_URL, then DATABASE_URL'),
    DATABASE_DIRECT_URL: postgresUrl
      .optional()
      .describe(
        'Where DATABASE_URL is a pooler in transaction mode, such as PgBouncer: the same role and database without the pooler, for credentials and limits, LISTEN, advisory locks, the job queue and exports',
      ),
    DATABASE_READ_URL: postgresUrl
      .optional()
      .describe(
        'Streaming standby of the database, or a proxy before several: serves lists, searches, exports and reports as soon as it has what was committed before the request, else DATABASE_URL does; the same role and database. Unset, or a server that is no standby: DATABASE_URL serves them',
      ),
    DATABASE_ALLOW_OWNER: z
      .stringbool('must be true or false')
      .default(false)
      .describe(
        'Starts although the role of DATABASE_URL owns the tables: then nothing in the database prevents it from changing the journal',
      ),
    DATABASE_POOL: z.coerce
      .number()
      .int()
      .min(2)
      .max(200)
      .default(15)
      .describe('Connections that the requests of one process use'),
    DATABASE_WORKER_POOL: z.coerce
      .number()
      .int()
      .min(2)
      .max(200)
      .default(5)
      .describe('Connections that the jobs and tasks of one process use'),
    DATABASE_ACQUIRE_SECONDS: secondsSetting
      .max(30)
      .default(5)
      .describe('How long a request waits for a free connection before it is answered with 503'),
    ORGANISATION_CONCURRENCY: z.coerce
      .number()
      .int()
      .positive()
      .default(5)
      .describe(
        'Operations of one organisation that run at once in one process, always fewer than DATABASE_POOL; more run while others leave more than a quarter of the connections idle',
      ),
    ORGANISATION_WAITING: z.coerce
      .number()
      .int()
      .nonnegative()
      .default(100)
      .describe('Further operations of one organisation that wait; more are answered with 429'),
    RETENTION_REQUEST_LOG_DAYS: z.coerce
      .number()
      .int()
      .min(0)
      .max(36_500)
      .default(30)
      .describe('For how many days requests are kept in the request log; 0: requests are not recorded'),
    OPERATOR_LIMITS: amountsSetting
      .prefault('USDC:1000,USDT:1000,EURC:1000,cNGN:1500000,NGN:1500000')
      .describe(
        'Up to which amounts of an asset one operator alone reverses entries, settles orders and resolves suspense on one UTC day; above, and for other assets, a second one approves',
      ),
    QUOTE_MAX_LOSS_PERCENT: percentSetting
      .default(10)
      .describe(
        'How far the two sides of a provider’s quote may differ in US dollars; one that differs more is refused, and operators are told',
      ),
    RATE_BAND_PERCENT: percentSetting
      .default(20)
      .describe(
        'How far a provider’s rate may be from the last one of its pair; one further away is refused, and operators are told, until the move is confirmed (RATE_CONFIRMATIONS)',
      ),
    RATE_CONFIRMATIONS: z.coerce
      .number()
      .int()
      .min(0)
      .max(100)
      .default(5)
      .describe(
        'How often a rate outside of the band must be seen, evenly over RATE_CONFIRMATION_MINUTES, before it is accepted by itself; one above twice or below half of the last rate never is. 0: only an operator accepts it',
      ),
    RATE_CONFIRMATION_MINUTES: z.coerce
      .number()
      .int()
      .min(1)
      .max(10_080)
      .default(60)
      .describe('For how long a rate outside of the band must have been seen before it is accepted by itself'),
    DELIVERY_TOLERANCE_PERCENT: percentSetting
      .default(3)
      .describe(
        'How much less than a payment is worth may be delivered of it where its quote guarantees nothing; below, its session is not paid, and operators are told',
      ),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
      .default('info')
      .describe('Lowest level that is written'),
    SECRETS_KEY: z
      .string()
      .superRefine((text, context) => {
        try {
          secretKeys(text)
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message })
        }
      })
      .optional()
      .describe(
        'Keys of secrets at rest, each of 32 bytes in base64, comma-separated, with optional ids (`id:key`). The first encrypts. Required in production',
      ),
    HOST: z.string().min(1).optional().describe('Address to listen on; default 127.0.0.1, in production all addresses'),
    PORT: portSetting.default(4000).describe('Port of the public API; 0 selects a free port'),
    BASE_URL: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .refine((url) => !url.endsWith('/v1'), 'must be without /v1, which the service adds')
      .optional()
      .describe('Public address without `/v1`; default `http://HOST:PORT`, required in production'),
    IDEMPOTENCY_RETENTION_HOURS: z.coerce
      .number()
      .positive()
      .max(720)
      .default(24)
      .describe('How long a reply can be replayed'),
    IDEMPOTENCY_WAIT_SECONDS: secondsSetting
      .max(60)
      .default(10)
      .describe('How long a duplicate waits for the first request'),
    PROCESS_ROLE: z.enum(['all', 'gateway', 'worker']).default('all').describe('Which part this process runs'),
    SHUTDOWN_DELAY_SECONDS: z.coerce
      .number()
      .int()
      .min(0)
      .max(300)
      .optional()
      .describe(
        'How long a gateway accepts requests after a stop signal, while `/readyz` answers 503, so that load balancers notice; default 0, in production 5',
      ),
    SHUTDOWN_SECONDS: secondsSetting
      .default(10)
      .describe('How long requests in flight may take after a stop signal and its delay'),
  },
  (values, { keep, require }) => {
    require('SECRETS_KEY', 'DATABASE_URL', 'BASE_URL')
    if (values.NODE_ENV === 'production' && !values.BASE_URL?.startsWith('https://'))
      throw new SettingsError('BASE_URL: must be https:// in production')
    return {
      ...values,
      ENV_NAME: values.ENV_NAME ?? values.NODE_ENV,
      HOST: values.HOST ?? (values.NODE_ENV === 'production' ? '::' : '127.0.0.1'),
      DATA_DIR: resolve(values.DATA_DIR),
      production: values.NODE_ENV === 'production',
      SECRETS_KEY: values.SECRETS_KEY ?? keep('secrets.key', () => randomKey()),
      SHUTDOWN_DELAY_SECONDS: values.SHUTDOWN_DELAY_SECONDS ?? (values.NODE_ENV === 'production' ? 5 : 0),
    }
  },
)

/**
 * The address under which people reach this installation, without `/v1` and without a slash at its end: BASE_URL, else the address
 * that the gateway listens on. Links in replies, emails and documents begin with it.
 */
export function publicUrl(settings: Settings): string {
  const { BASE_URL, HOST, PORT } = platformSettings.from(settings)
  return BASE_URL ?? `http://${HOSTS[HOST] ?? (HOST.includes(':') ? `[${HOST}]` : HOST)}:${PORT}`
}

/** Addresses that mean all of this machine: nobody can connect to them by name. */
const HOSTS: Readonly<Record<string, string>> = { '::': 'localhost', '0.0.0.0': 'localhost' }

/** Keeps the port that the system selected for PORT=0, so that {@link publicUrl} names it. */
export function listensOn(settings: Settings, port: number): void {
  Object.assign(settings, { PORT: port })
}

const randomKey = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')

/**
 * Reads the settings from environment variables. Outside production, missing secrets are generated once and stored in
 * DATA_DIR.
 * @throws SettingsError that names every invalid setting.
 */
export function loadSettings(
  env: Record<string, string | undefined>,
  // biome-ignore lint/suspicious/noExplicitAny: each declaration types its own settings
  declarations: readonly SettingsDeclaration<any, any>[],
): Settings {
  const all = [platformSettings, ...declarations]
  const nonEmpty = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = z.object(Object.assign({}, ...all.map(({ shape }) => shape))).safeParse(nonEmpty)
  if (!parsed.success) {
    throw new SettingsError(
      parsed.error.issues
        .map(
          (issue) => `${issue.path[0]?.toString()}: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`,
        )
        .join('\n'),
    )
  }
  const values = parsed.data as { NODE_ENV: string; DATA_DIR: string } & Record<string, unknown>
  const production = values.NODE_ENV === 'production'
  const missing: string[] = []
  const process: SettingsProcess = {
    production,
    keep: (file, generate) => readOrCreate(resolve(values.DATA_DIR), file, generate),
    require: (...names) => void (production && missing.push(...names.filter((name) => !values[name]))),
  }
  const problems: string[] = []
  const completed: object[] = []
  for (const declaration of all) {
    try {
      // Only its own settings: what it returns must not undo what another one has completed.
      const own = Object.keys(declaration.shape).map((name) => [name, values[name]])
      completed.push(declaration.complete(Object.fromEntries(own) as never, process))
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      // One message for each setting: a DATA_DIR that cannot be read is reported once, not once for each file in it.
      const [name] = error.message.split(':')
      if (!problems.some((problem) => problem.startsWith(`${name}:`))) problems.push(error.message)
    }
  }
  // Missing settings are reported first: they may be the cause of the other problems.
  if (missing.length > 0) throw new SettingsError(missing.map((name) => `${name}: required in production`).join('\n'))
  if (problems.length > 0) throw new SettingsError(problems.join('\n'))
  return Object.assign({}, ...completed)
}

function readOrCreate(dataDir: string, name: string, generate: () => string): string {
  const file = join(dataDir, name)
  try {
    if (existsSync(file)) return readFileSync(file, 'utf8')
    mkdirSync(dataDir, { recursive: true })
    const value = generate()
    writeFileSync(file, value, { mode: 0o600, flag: 'wx' })
    return value
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && syscall === 'open') return readFileSync(file, 'utf8')
    throw new SettingsError(`DATA_DIR: ${file} cannot be read or written (${(error as Error).message})`)
  }
}
