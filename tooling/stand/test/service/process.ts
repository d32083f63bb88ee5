import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { accountsSettings } from '@payments/accounts'
import { gatewaySettings } from '@payments/gateway'
import { platformSettings } from '@payments/platform'
import type { TestService } from './service.ts'

const MAIN = fileURLToPath(new URL('../../../../services/gateway/src/main.ts', import.meta.url))

export interface TestProcess {
  readonly url: string
  stop(): Promise<void>
  /** SIGKILL, as in a crash or when out of memory. */
  kill(): void
}

/** A second gateway as a process of its own, on the database and with the keys of a running service. */
export async function startProcess(service: TestService, settings: Record<string, string> = {}): Promise<TestProcess> {
  const own = service.runtime.settings
  const platform = platformSettings.from(own)
  const accounts = accountsSettings.from(own)
  const http = gatewaySettings.from(own)
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      NODE_ENV: 'test',
      PROCESS_ROLE: 'gateway',
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      LOG_LEVEL: 'warn',
      DATA_DIR: service.dataDir,
      DATABASE_URL: service.database.serviceUrl,
      DATABASE_OWNER_URL: service.database.ownerUrl,
      SECRETS_KEY: platform.SECRETS_KEY,
      JWT_PRIVATE_KEY: accounts.JWT_PRIVATE_KEY,
      OPERATOR_EMAILS: accounts.OPERATOR_EMAILS.join(','),
      RATE_LIMIT_GLOBAL: String(http.RATE_LIMIT_GLOBAL),
      RATE_LIMIT_AUTH: String(http.RATE_LIMIT_AUTH),
      CONNECTIONS_PER_ADDRESS: String(http.CONNECTIONS_PER_ADDRESS),
      TRUST_PROXY: http.TRUST_PROXY.join(','),
      ...settings,
    },
  })
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      said += chunk.toString('utf8')
      const found = said.match(/Base URL +(\S+)\/v1/)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', () => reject(new Error(`The process ended: ${said}`)))
  })
  return {
    url,
    kill: () => void child.kill('SIGKILL'),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

type Ending =
  | { kill(): void }
  | { end(): Promise<unknown> }
  | { stop(): Promise<unknown> }
  | { close(): Promise<unknown> }

/** Ends what a test started, one after the other: a process by SIGKILL, the others as they offer it. */
export async function endAll(...parts: readonly Ending[]): Promise<void> {
  for (const part of parts)
    if ('kill' in part) part.kill()
    else if ('end' in part) await part.end()
    else if ('stop' in part) await part.stop()
    else await part.close()
}

/** Does something again and again, with pauses, until it is stopped. */
export function repeatedly(everyMs: number, work: () => Promise<unknown>): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const working = (async () => {
    while (!stopping.signal.aborted) {
      await pause(everyMs)
      await work()
    }
  })()
  return {
    stop: () => {
      stopping.abort()
      return working
    },
  }
}
