import type { RoutesWorld } from '#testing'
import { type NearIntentsOptions, nearIntents } from '../src/near-intents.ts'
import { type FakeNearIntents, type FakeOptions, fakeNearIntents } from './fake.ts'

export type { Fault } from './fake.ts'

/** The fake server, with the adapter talking to it. */
export type NearIntentsServer = FakeNearIntents & RoutesWorld

export async function startNearIntents(
  options: Partial<NearIntentsOptions> & FakeOptions = {},
): Promise<NearIntentsServer> {
  const { tls, skewMs, ...given } = options
  const fake = await fakeNearIntents({ ...(tls ? { tls } : {}), ...(skewMs === undefined ? {} : { skewMs }) })
  const provider = nearIntents({
    baseUrl: fake.url,
    token: 'near-token',
    requestsPerMinute: 60,
    quotesPerMinute: 60,
    slippage: 100,
    timeoutMs: 10_000,
    retryMs: 1,
    restMs: 50,
    ...given,
  })
  return Object.assign(fake, { provider })
}
