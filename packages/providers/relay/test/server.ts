import type { RoutesWorld } from '#testing'
import type { RelayOptions } from '../src/client.ts'
import { relay } from '../src/relay.ts'
import { type FakeOptions, type FakeRelay, fakeRelay } from './fake.ts'

export { type Fault, hash } from './fake.ts'

/** The fake server, with the adapter talking to it. */
export type RelayServer = FakeRelay & RoutesWorld

export async function startRelay(options: Partial<RelayOptions> & FakeOptions = {}): Promise<RelayServer> {
  const { tls, skewMs, ...given } = options
  const fake = await fakeRelay({ ...(tls ? { tls } : {}), ...(skewMs === undefined ? {} : { skewMs }) })
  const provider = relay({
    baseUrl: fake.url,
    apiKey: 'relay-key',
    requestsPerMinute: 150,
    timeoutMs: 10_000,
    retryMs: 1,
    restMs: 50,
    ...given,
  })
  return Object.assign(fake, { provider })
}
