import type { CngnWorld } from '#testing'
import type { CngnOptions } from '../src/client.ts'
import { cngnMerchant } from '../src/cngn.ts'
import { type FakeCngn, startFake } from './fake.ts'
import { x25519BySodium } from './seal.ts'

export type { Fault } from './fake.ts'

export type CngnServer = FakeCngn & Omit<CngnWorld, 'pay'>

/** For tests of what was sent and what was not: lists are read each second, and prove it soon. */
export const QUICK: Partial<CngnOptions> = {
  requestsPerMinute: 6000,
  pollSeconds: { soonest: 1, longest: 1 },
  certainAfterSeconds: 1,
  listsApartSeconds: 0.6,
}

/** The fake API with the adapter talking to it. */
export async function startCngn(
  options: Partial<CngnOptions> & { tls?: { key: string; cert: string } } = {},
): Promise<CngnServer> {
  const { tls, ...given } = options
  const fake = await startFake(tls ? { tls } : {})
  return Object.assign(fake, {
    account: 'merchant',
    provider: cngnMerchant({
      baseUrl: fake.url,
      apiKey: fake.apiKey,
      encryptionKey: fake.encryptionKey,
      secret: x25519BySodium(fake.key.seed),
      webhookSecret: 'callback secret',
      requestsPerMinute: 20,
      timeoutMs: 2000,
      ...given,
    }),
  })
}
