import type { Environment } from '../actor.ts'

/** A site that shows what is on a chain. `transaction` and `address` are what stands before a hash and an address. */
export interface Explorer {
  readonly name: string
  readonly transaction: string
  readonly address: string
}

const site = (name: string, origin: string, transaction = 'tx'): Explorer => ({
  name,
  transaction: `${origin}/${transaction}/`,
  address: `${origin}/address/`,
})

/** The explorer of each network. */
export const explorers: Readonly<Record<string, Explorer>> = {
  ethereum: site('Etherscan', 'https://etherscan.io'),
  base: site('BaseScan', 'https://basescan.org'),
  arbitrum: site('Arbiscan', 'https://arbiscan.io'),
  optimism: site('OP Mainnet Explorer', 'https://optimistic.etherscan.io'),
  polygon: site('PolygonScan', 'https://polygonscan.com'),
  solana: site('Solana Explorer', 'https://explorer.solana.com'),
  tron: site('TRONSCAN', 'https://tronscan.org/#', 'transaction'),
}

/** The explorer of a network. The sandbox has none: its transactions are on no chain. */
export const explorerOf = (environment: Environment, networkKey: string): Explorer | undefined =>
  environment === 'live' ? explorers[networkKey] : undefined

/** Where an explorer shows a transaction; undefined without an explorer. */
export const transactionUrl = (explorer: Explorer | undefined, hash: string): string | undefined =>
  explorer && explorer.transaction + encodeURIComponent(hash)
