import { setTimeout as pause } from 'node:timers/promises'
import { accountsSettings } from '@payments/accounts'
import { gatewaySettings } from '@payments/gateway'
import { platformSettings } from '@payments/platform'
import { type LaunchedGateway, launchGateway } from '../../src/service/launch.ts'
import { sharedSettings } from '../../src/service/settings.ts'
import { built } from './built.ts'
import type { TestService } from './service.ts'

export type TestProcess = Omit<LaunchedGateway, 'pid'>

/** A second gateway as a process of its own, on the database and with the keys of a running service. */
export async function startProcess(
  service: Pick<TestService, 'runtime' | 'dataDir' | 'database'>,
  settings: Record<string, string> = {},
): Promise<TestProcess> {
  await built()
  const own = service.runtime.settings
  const accounts = accountsSettings.from(own)
  const http = gatewaySettings.from(own)
  const { dataDir, database } = service
  return launchGateway(
    sharedSettings(
      { dataDir, ...database },
      {
        LOG_LEVEL: 'warn',
        SECRETS_KEY: platformSettings.from(own).SECRETS_KEY,
        JWT_PRIVATE_KEY: accounts.JWT_PRIVATE_KEY,
        OPERATOR_EMAILS: accounts.OPERATOR_EMAILS.join(','),
        RATE_LIMIT_GLOBAL: String(http.RATE_LIMIT_GLOBAL),
        RATE_LIMIT_AUTH: String(http.RATE_LIMIT_AUTH),
        CONNECTIONS_PER_ADDRESS: String(http.CONNECTIONS_PER_ADDRESS),
        TRUST_PROXY: http.TRUST_PROXY.join(','),
        ...settings,
      },
    ),
  )
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
