import { type Asset, type AssetSymbol, assets } from './money.ts'

/** The address format of a network: EVM (EIP-55), Solana (base58, 32 bytes) or Tron (base58check, prefix 0x41). */
export type NetworkType = 'evm' | 'svm' | 'tvm'

/** A chain under the name that merchants use. Adapters map `key` to the chain ids of their provider. */
export interface Network {
  readonly key: string
  readonly name: string
  readonly type: NetworkType
  readonly currencies: readonly AssetSymbol[]
}

/**
 * Networks with the symbols that can be sent and received on them. Only networks whose tokens have the decimals of
 * `assets` are listed: USDC on BNB Smart Chain has 18 decimals, for example, so six decimals would not hold it exactly.
 */
export const networks = [
  { key: 'ethereum', name: 'Ethereum', type: 'evm', currencies: ['USDC', 'USDT', 'EURC', 'ETH'] },
  { key: 'base', name: 'Base', type: 'evm', currencies: ['USDC', 'EURC', 'ETH'] },
  { key: 'arbitrum', name: 'Arbitrum One', type: 'evm', currencies: ['USDC', 'USDT', 'ETH'] },
  { key: 'optimism', name: 'Optimism', type: 'evm', currencies: ['USDC', 'USDT', 'ETH'] },
  { key: 'polygon', name: 'Polygon', type: 'evm', currencies: ['USDC', 'USDT'] },
  { key: 'solana', name: 'Solana', type: 'svm', currencies: ['USDC', 'USDT', 'EURC', 'SOL'] },
  { key: 'tron', name: 'Tron', type: 'tvm', currencies: ['USDT'] },
] as const satisfies readonly Network[]

/** The network with this key, or undefined. */
export const networkOf = (key: string): Network | undefined => networks.find((network) => network.key === key)

/** The asset with this symbol, or undefined. Symbols are case-sensitive, as written on chain. */
export const assetOf = (symbol: string): Asset | undefined => (assets as Record<string, Asset>)[symbol]

/** The asset with this symbol, which was checked when it was written. @throws Error for one that does not exist */
export function assetNamed(symbol: string): Asset {
  const asset = assetOf(symbol)
  if (!asset) throw new Error(`No asset ${symbol}`)
  return asset
}
