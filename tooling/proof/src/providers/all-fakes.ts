import { type Random, random as randomOf } from '@payments/stand'
import {
  Chain,
  type Exchange,
  type FakeCngn,
  type FakeNearIntents,
  type FakePaycrest,
  type FakeRelay,
  fakeNearIntents,
  fakeRelay,
  type Node,
  startCngn,
  startExchange,
  startNode,
  startPaycrest,
} from './fakes.ts'

/** The providers of every domain. */
export interface Fakes {
  readonly relay: FakeRelay
  readonly near: FakeNearIntents
  readonly paycrest: FakePaycrest
  readonly cngn: FakeCngn
  readonly chain: Chain
  readonly node: Node
  readonly exchange: Exchange
}

export async function startFakes(tls: { readonly key: string; readonly cert: string }, random: Random): Promise<Fakes> {
  const [relay, near, paycrest, cngn, chain] = await Promise.all([
    fakeRelay({ tls }),
    fakeNearIntents({ tls }),
    startPaycrest({ tls, random: randomOf(random.below(2 ** 31)), outcomes: {}, missing: [] }),
    startCngn({ tls }),
    Chain.start(),
  ])
  const [node, exchange] = await Promise.all([startNode(chain, tls), startExchange(chain, tls)])
  return { relay, near, paycrest, cngn, chain, node, exchange }
}

export const closeFakes = ({ relay, near, paycrest, cngn, node, exchange }: Fakes): Promise<unknown> =>
  Promise.all([relay, near, paycrest, cngn, node, exchange].map((each) => each.close()))

type Settings = Readonly<Record<string, string>>

/** Where a service finds the fake of cNGN, and its keys. */
export const settingsOfCngn = ({ cngn }: Pick<Fakes, 'cngn'>): Settings => ({
  CNGN_BASE_URL: cngn.url,
  CNGN_API_KEY: cngn.apiKey,
  CNGN_ENCRYPTION_KEY: cngn.encryptionKey,
  CNGN_PRIVATE_KEY: cngn.key.pem,
})

/** Where a service finds the fakes, and keys that they accept. */
export const settingsOf = (fakes: Fakes): Settings => ({
  RELAY_BASE_URL: fakes.relay.url,
  RELAY_API_KEY: 'relay-key',
  NEAR_INTENTS_BASE_URL: fakes.near.url,
  NEAR_INTENTS_TOKEN: 'near-token',
  PAYCREST_BASE_URL: fakes.paycrest.url,
  PAYCREST_API_KEY: 'paycrest-key',
  PAYCREST_API_SECRET: 'paycrest-secret',
  JUPITER_BASE_URL: fakes.exchange.url,
  JUPITER_API_KEY: 'jupiter-key',
  SOLANA_RPC_URL: fakes.node.url,
  ...settingsOfCngn(fakes),
})
