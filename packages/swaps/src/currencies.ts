import { type Asset, assets } from '@payments/kernel'

/** The currencies that can be swapped into each other, both on Solana. */
export const currencies = ['EURC', 'USDC'] as const
export type Currency = (typeof currencies)[number]

/** The network of every swap. */
export const NETWORK = 'solana'

export const assetIn = (currency: string): Asset => assets[currency as Currency]
