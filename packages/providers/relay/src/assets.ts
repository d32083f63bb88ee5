import { type AssetSymbol, networkOf } from '@payments/kernel'
import type { Leg } from '@payments/routes'

/** A currency as Relay names it. `quote` is a typical amount in minor units: creating a deposit address requires one; the address accepts any. */
export interface RelayAsset {
  readonly chainId: number
  readonly address: string
  readonly quote: bigint
}

interface Chain {
  readonly id: number
  readonly tokens: Readonly<Partial<Record<AssetSymbol, string>>>
}

const NATIVE_EVM = '0x0000000000000000000000000000000000000000'

/**
 * Network key → Relay's chain id and, by symbol, the token's address there. The only place that knows a chain id. Addresses are
 * those that Circle, Tether and the chains publish: a token is never accepted because of its symbol
 * alone. `offers.ts` finds out which of them Relay supports at the moment; the others are not offered.
 */
export const chains: Readonly<Record<string, Chain>> = {
  ethereum: {
    id: 1,
    tokens: {
      USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      EURC: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
      ETH: NATIVE_EVM,
    },
  },
  base: {
    id: 8453,
    tokens: {
      USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      EURC: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
      ETH: NATIVE_EVM,
    },
  },
  arbitrum: {
    id: 42161,
    tokens: {
      USDC: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      USDT: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
      ETH: NATIVE_EVM,
    },
  },
  optimism: {
    id: 10,
    tokens: {
      USDC: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
      USDT: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
      ETH: NATIVE_EVM,
    },
  },
  polygon: {
    id: 137,
    tokens: {
      USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      USDT: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    },
  },
  solana: {
    id: 792703809,
    tokens: {
      USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
      EURC: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr',
      SOL: '11111111111111111111111111111111',
    },
  },
  tron: { id: 728126428, tokens: { USDT: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' } },
}

/** A hundred dollars, more or less. */
const QUOTE: Readonly<Partial<Record<string, bigint>>> = { ETH: 30_000_000_000_000_000n, SOL: 500_000_000n }

/** What Relay calls a currency on a network; undefined for one that is not in the table. */
export function relayAsset({ networkKey, currency }: Leg): RelayAsset | undefined {
  const chain = Object.hasOwn(chains, networkKey) ? chains[networkKey] : undefined
  const address = chain?.tokens[currency as AssetSymbol]
  return chain && address ? { chainId: chain.id, address, quote: QUOTE[currency] ?? 100_000_000n } : undefined
}

const spelling = (networkKey: string, address: string): string =>
  networkOf(networkKey)?.type === 'evm' ? address.toLowerCase() : address

const legs: ReadonlyMap<string, Leg> = new Map(
  Object.entries(chains).flatMap(([networkKey, { id, tokens }]) =>
    Object.entries(tokens).map(([currency, address]) => [
      `${id}:${spelling(networkKey, address)}`,
      { networkKey, currency },
    ]),
  ),
)

/** The currency at a token address on one of Relay's chains, by public names; undefined when it is not in the table. */
export function legOf({ chainId, address }: { chainId: number; address: string }): Leg | undefined {
  return legs.get(`${chainId}:${address}`) ?? legs.get(`${chainId}:${address.toLowerCase()}`)
}

/** Every currency of the table, in the format of `POST /currencies/v2`. */
export const everyToken: readonly string[] = Object.values(chains).flatMap(({ id, tokens }) =>
  Object.values(tokens).map((address) => `${id}:${address}`),
)
