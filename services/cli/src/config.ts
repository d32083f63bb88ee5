import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Payments } from '@payments/sdk'
import { UsageError } from './output.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** What `login` keeps, in a file that only its owner reads. */
export interface Config {
  readonly url?: string
  readonly apiKey?: string
  /** Signs what `listen` forwards. */
  readonly signingSecret?: string
}

/** Where this program keeps its files. */
export const folderOf = (env: Env): string =>
  env.PAYMENTS_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'payments')

export function readConfig(env: Env): Config {
  try {
    return JSON.parse(readFileSync(join(folderOf(env), 'config.json'), 'utf8')) as Config
  } catch {
    return {}
  }
}

/** Replaces the file as a whole, so that two commands at once do not mix. */
export function writeConfig(env: Env, config: Config): void {
  const folder = folderOf(env)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'config.json')
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  chmodSync(`${file}.${process.pid}`, 0o600)
  renameSync(`${file}.${process.pid}`, file)
}

/** The service and the key: of the options, else of the environment, else of `login`. */
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
  // A key is sent to no other service than the one that it was kept for.
  const own = url === undefined || url === kept.url ? kept.apiKey : undefined
  return { url: text, apiKey: apiKey ?? (env.PAYMENTS_API_KEY || own) }
}

/** @throws UsageError without a key */
export function clientOf({ url, apiKey }: Connection): Payments {
  if (!apiKey) throw new UsageError('No API key: run `payments login`, or set PAYMENTS_API_KEY')
  return new Payments({ url, apiKey })
}

/** `test` or `live`, from the key. */
export const environmentOf = (apiKey: string | undefined): 'test' | 'live' =>
  apiKey?.startsWith('svc_live_') ? 'live' : 'test'
