import { type Network, networkOf } from '@payments/kernel'

/** The cNGN token on one network. */
export interface CngnNetwork {
  readonly networkKey: string
  readonly contract: string
  readonly decimals: number
  /** False: no new deposits and withdrawals over this network. */
  readonly enabled: boolean
}

/**
 * The networks of cNGN, as WrappedCBDC publishes its contracts. Of its networks, those that this service knows: a network joins
 * with a row here and one in the kernel.
 */
export const cngnNetworks: readonly CngnNetwork[] = [
  {
    networkKey: 'base',
    contract: '0x46C85152bFe9f96829aA94755D9f915F9B10EF5F',
    decimals: 6,
    enabled: true,
  },
  {
    networkKey: 'ethereum',
    contract: '0x17CDB2a01e7a34CbB3DD4b83260B05d0274C8dab',
    decimals: 6,
    enabled: true,
  },
  {
    networkKey: 'polygon',
    contract: '0x52828daa48C1a9A06F37500882b42daf0bE04C3B',
    decimals: 6,
    enabled: true,
  },
  {
    networkKey: 'solana',
    contract: '3jiqwBQVRC5zRwHyqvnkQurebJ5RNxg3F5fXMwaxgkv8',
    decimals: 6,
    enabled: true,
  },
]

/** The enabled networks, with their names. */
export const enabledNetworks = (): readonly (CngnNetwork & { readonly network: Network })[] =>
  cngnNetworks.flatMap((row) => {
    const network = networkOf(row.networkKey)
    return network && row.enabled ? [{ ...row, network }] : []
  })
