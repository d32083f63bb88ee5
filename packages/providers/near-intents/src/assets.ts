import { type AssetSymbol, assetOf, networkOf, networks, tokenContracts } from '@payments/kernel'
import type { Token } from './wire.ts'

/**
 * 1Click's name of each network. A network that needs a memo with its deposit addresses (Stellar, XRP, TON) must not be added: a payer
 * who leaves the memo out loses the money.
 */
const blockchains: Readonly<Record<string, string>> = {
  ethereum: 'eth',
  base: 'base',
  arbitrum: 'arb',
  optimism: 'op',
  polygon: 'pol',
  solana: 'sol',
  tron: 'tron',
}

/** Addresses of EVM chains differ in their spelling; those of other chains are case-sensitive. */
const spelling = (networkKey: string, address: string): string =>
  networkOf(networkKey)?.type === 'evm' ? address.toLowerCase() : address

/**
 * Whether a token of 1Click is this currency on this network: its chain and contract, never its symbol alone. A chain's own currency has
 * no contract, and is known by its symbol on that chain. With other decimals than amounts are counted in here it is another one.
 */
function isCurrency(token: Token, networkKey: string, currency: AssetSymbol): boolean {
  if (token.blockchain !== blockchains[networkKey] || token.decimals !== assetOf(currency)?.decimals) return false
  const contract = tokenContracts[networkKey]?.[currency]
  return contract === undefined
    ? !token.contractAddress && token.symbol === currency
    : spelling(networkKey, token.contractAddress ?? '') === spelling(networkKey, contract)
}

/** 1Click's ids of the currencies that it lists, by network and currency. The first of two ids of one currency counts. */
export function assetIdsOf(tokens: readonly Token[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  return new Map(
    networks.map(({ key, currencies }) => {
      const ids = currencies.flatMap((currency) => {
        const listed = tokens.find((token) => isCurrency(token, key, currency))
        return listed ? [[currency, listed.assetId] as const] : []
      })
      return [key, new Map<string, string>(ids)]
    }),
  )
}
