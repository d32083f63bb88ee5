import { cngnContracts, type Network, networkOf } from '@payments/kernel'

/** The cNGN token on one network. */
export interface CngnNetwork {
  readonly networkKey: string
  readonly contract: string
  readonly decimals: number
  /** False: no new deposits and withdrawals over this network. */
  readonly enabled: boolean
}

/**
 * The networks of cNGN, with its contracts. Of its networks, those that this service knows: a network joins
 * with a row here and one in the kernel.
 */
export const cngnNetworks: readonly CngnNetwork[] = [
  {
    networkKey: 'base',
    contract: cngnContracts.base.cNGN,
    decimals: 6,
    enabled: true,
  },
  {
    networkKey: 'ethereum',
    contract: cngnContracts.ethereum.cNGN,
    decimals: 6,
    enabled: true,
  },
  {
    networkKey: 'polygon',
    contract: cngnContracts.polygon.cNGN,
    decimals: 6,
    enabled: true,
  },
  {
    networkKey: 'solana',
    contract: cngnContracts.solana.cNGN,
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
