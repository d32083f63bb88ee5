/** The kinds of cNGN objects. */
export const kinds = ['convert', 'withdrawal', 'payout', 'payin', 'deposit'] as const
export type Kind = (typeof kinds)[number]

/** What our references of payins begin with: payers write them into the narration of a transfer. */
export const PAYIN_REFERENCE = 'PIN-'

/** The stablecoin of this domain. */
export const CNGN = 'cNGN'

/** Stablecoins that are converted to cNGN and back. */
export const stablecoins = ['USDC', 'USDT'] as const

/** Which way the money of an object goes. A convert goes out when cNGN leaves the balance for it. */
export const goesOut = (kind: Kind, fromCurrency: string | null | undefined): boolean =>
  kind === 'payout' || kind === 'withdrawal' || (kind === 'convert' && fromCurrency === CNGN)
