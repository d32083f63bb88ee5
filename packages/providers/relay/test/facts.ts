// What the fake server knows of chains and tokens: as their issuers publish it, written down here once more, so that a wrong entry in
// the adapter's table is found. Sources: circle.com (USDC and EURC contract addresses), tether.to (supported protocols),
// docs.relay.link (solana.mdx: id of Solana and its native currency), chainlist.org (EVM chain ids, Tron 728126428).

export interface Coin {
  readonly chainId: number
  readonly address: string
}

interface Token extends Coin {
  readonly symbol: string
  readonly decimals: number
}

const NATIVE = '0x0000000000000000000000000000000000000000'
const token = (chainId: number, symbol: string, address: string, decimals = 6): Token => ({
  chainId,
  symbol,
  address,
  decimals,
})

export const SOLANA = 792703809
export const TRON = 728126428

/** Chains by id: what kind they are. */
export const kinds: Readonly<Record<number, 'evm' | 'svm' | 'tvm'>> = {
  1: 'evm',
  8453: 'evm',
  42161: 'evm',
  10: 'evm',
  137: 'evm',
  [SOLANA]: 'svm',
  [TRON]: 'tvm',
}

/** The solver currencies. */
export const tokens: readonly Token[] = [
  token(1, 'USDC', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  token(1, 'USDT', '0xdac17f958d2ee523a2206206994597c13d831ec7'),
  token(1, 'EURC', '0x1abaea1f7c830bd89acc67ec4af516284b1bc33c'),
  token(1, 'ETH', NATIVE, 18),
  token(8453, 'USDC', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
  token(8453, 'EURC', '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42'),
  token(8453, 'ETH', NATIVE, 18),
  token(42161, 'USDC', '0xaf88d065e77c8cc2239327c5edb3a432268e5831'),
  token(42161, 'USDT', '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9'),
  token(42161, 'ETH', NATIVE, 18),
  token(10, 'USDC', '0x0b2c639c533813f4aa9d7837caf62653d097ff85'),
  token(10, 'USDT', '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58'),
  token(10, 'ETH', NATIVE, 18),
  token(137, 'USDC', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'),
  token(137, 'USDT', '0xc2132d05d31c914a87c6611c10748aeb04b58e8f'),
  token(SOLANA, 'USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  token(SOLANA, 'USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  token(SOLANA, 'EURC', 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr'),
  token(SOLANA, 'SOL', '11111111111111111111111111111111', 9),
  token(TRON, 'USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
]

const isSame = (a: Coin, b: Coin) =>
  a.chainId === b.chainId &&
  (kinds[a.chainId] === 'evm' ? a.address.toLowerCase() === b.address.toLowerCase() : a.address === b.address)

export const tokenOf = (coin: Coin): Token | undefined => tokens.find((each) => isSame(each, coin))
