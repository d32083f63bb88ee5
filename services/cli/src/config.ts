import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Payments } from '@payments/sdk'
import { UsageError } from './output.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** What `login` keeps, in a file that only its owner reads. */
export interface Config {
  /** The service that is meant where none is named. */
  readonly url?: string
  /** The API key of each service, by its origin. */
  readonly keys?: Readonly<Record<string, string>>
  /** Signs what `listen` forwards. */
  readonly signingSecret?: string
}

/** Where this program keeps its files. */
export const folderOf = (env: Env): string =>
  env.PAYMENTS_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'payments')

export function readConfig(env: Env): Config {
  try {
    // Until 2026-11-28 there was one key, of the one service.
    const { apiKey, ...config } = JSON.parse(readFileSync(join(folderOf(env), 'config.json'), 'utf8')) as Config & {
      apiKey?: string
    }
    return apiKey && config.url ? { ...config, keys: { [originOf(config.url)]: apiKey, ...config.keys } } : config
  } catch {
    return {}
  }
}

/** Whom an address names: scheme, host and port. */
export const originOf = (url: string): string => new URL(url).origin

/** Replaces the file as a whole, so that two commands at once do not mix. */
export function writeConfig(env: Env, config: Config): void {
  const folder = folderOf(env)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'config.json')
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  chmodSync(`${file}.${process.pid}`, 0o600)
  renameSync(`${file}.${process.pid}`, file)
}

/** The service: of the option, else of the environment, else of `login`. The key: likewise, but one of `login` is that of this service. */
export interface Connection {
  readonly url: string
  readonly apiKey: string | undefined
}

/** @throws UsageError for plain HTTP to another machine, which would show the key to the network */
export function connectionOf({ url, apiKey }: { url?: string; apiKey?: string }, env: Env): Connection {
  const kept = readConfig(env)
  const text = url ?? (env.PAYMENTS_URL || kept.url || 'http://127.0.0.1:4000')
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (!address || !/^https?:$/.test(address.protocol))
    throw new UsageError(`"${text}" is not an address like https://payments.example.com`)
  if (address.protocol === 'http:' && !/^(localhost|\[::1\]|127(\.\d+){3})$/.test(address.hostname))
    throw new UsageError('The address must begin with https://, except for this machine')
  return { url: text, apiKey: apiKey ?? (env.PAYMENTS_API_KEY || kept.keys?.[address.origin]) }
}

/** @throws UsageError without a key */
export function clientOf({ url, apiKey }: Connection): Payments {
  if (!apiKey) throw new UsageError('No API key: run `payments login`, or set PAYMENTS_API_KEY')
  return new Payments({ url, apiKey })
}

/** `test` or `live`, from the key. */
export const environmentOf = (apiKey: string | undefined): 'test' | 'live' =>
  apiKey?.startsWith('svc_live_') ? 'live' : 'test'
