import type { AssetSymbol } from './money.ts'

/** Chain ids of EVM networks (EIP-155), by network key. */
export const evmChainIds: Readonly<Record<string, number>> = {
  ethereum: 1,
  base: 8453,
  arbitrum: 42161,
  optimism: 10,
  polygon: 137,
}

/**
 * Token contracts by network key and symbol, as Circle, Tether and the chains publish them. A chain's own currency has none. A
 * token is never accepted because of its symbol alone.
 */
export const tokenContracts: Readonly<Record<string, Readonly<Partial<Record<AssetSymbol, string>>>>> = {
  ethereum: {
    USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    EURC: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
  },
  base: {
    USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    EURC: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
  },
  arbitrum: {
    USDC: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    USDT: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
  },
  optimism: {
    USDC: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
    USDT: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
  },
  polygon: {
    USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    USDT: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
  },
  solana: {
    USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    EURC: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr',
  },
  tron: { USDT: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
}

/**
 * Contracts of cNGN by network, as WrappedCBDC publishes them, those of networks that this service does not use included: money that is
 * sent to them is lost there too.
 */
export const cngnContracts = {
  base: { cNGN: '0x46C85152bFe9f96829aA94755D9f915F9B10EF5F' },
  ethereum: { cNGN: '0x17CDB2a01e7a34CbB3DD4b83260B05d0274C8dab' },
  polygon: { cNGN: '0x52828daa48C1a9A06F37500882b42daf0bE04C3B' },
  bsc: { cNGN: '0xa8AEA66B361a8d53e8865c62D142167Af28Af058' },
  celo: { cNGN: '0xF6829D7393dAe24509eb1E52eE8e572e2E271a4f' },
  lisk: { cNGN: '0xC7aB2C35Ea37236e644C24A4E4a1911c082887c0' },
  solana: { cNGN: '3jiqwBQVRC5zRwHyqvnkQurebJ5RNxg3F5fXMwaxgkv8' },
} as const

/** The mint of wrapped SOL, which stands for Solana's own currency where a token is expected. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
