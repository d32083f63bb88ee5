import { type AssetSymbol, evmChainIds, networkOf, tokenContracts } from '@payments/kernel'
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

/** Relay uses the ids of EIP-155 for EVM chains. */
const evmChainId = (key: string): number => evmChainIds[key] as number

const NATIVE_EVM = '0x0000000000000000000000000000000000000000'

/** Relay's id of a chain and its name for the chain's own currency. The other tokens have their public contracts. */
const own: Readonly<Record<string, readonly [id: number, native: Readonly<Partial<Record<AssetSymbol, string>>>]>> = {
  ethereum: [evmChainId('ethereum'), { ETH: NATIVE_EVM }],
  base: [evmChainId('base'), { ETH: NATIVE_EVM }],
  arbitrum: [evmChainId('arbitrum'), { ETH: NATIVE_EVM }],
  optimism: [evmChainId('optimism'), { ETH: NATIVE_EVM }],
  polygon: [evmChainId('polygon'), {}],
  solana: [792703809, { SOL: '11111111111111111111111111111111' }],
  tron: [728126428, {}],
}

/**
 * Network key → Relay's chain id and, by symbol, the token's address there. `offers.ts` finds out which of them Relay supports
 * at the moment; the others are not offered.
 */
export const chains: Readonly<Record<string, Chain>> = Object.fromEntries(
  Object.entries(own).map(([key, [id, native]]) => [key, { id, tokens: { ...tokenContracts[key], ...native } }]),
)

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

const keys: ReadonlyMap<number, string> = new Map(Object.entries(chains).map(([key, { id }]) => [id, key]))

/** The network of one of Relay's chains; for a chain outside the table a name that no network has. */
export const networkKeyOf = (chainId: number): string => keys.get(chainId) ?? `chain:${chainId}`

/** Every currency of the table, in the format of `POST /currencies/v2`. */
export const everyToken: readonly string[] = Object.values(chains).flatMap(({ id, tokens }) =>
  Object.values(tokens).map((address) => `${id}:${address}`),
)
