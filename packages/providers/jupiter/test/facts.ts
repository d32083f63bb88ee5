import type { Currency } from '@payments/swaps'
import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'

// What the fakes know of Solana, written down here once more, so that a wrong entry in the adapter's tables is found. Sources: circle.com
// (contract addresses of USDC and EURC), spl.solana.com/associated-token-account (how the address of a token account is derived),
// docs.solana.com/clusters (genesis hash of mainnet).

export const MINTS: Readonly<Record<Currency, Address>> = {
  EURC: address('HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr'),
  USDC: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
}
export const DECIMALS = 6
export const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

/** The token account of a wallet. */
export async function tokenAccountOf(owner: string, mint: Address): Promise<Address> {
  const encoder = getAddressEncoder()
  const [account] = await getProgramDerivedAddress({
    programAddress: ASSOCIATED_TOKEN_PROGRAM,
    seeds: [address(owner), TOKEN_PROGRAM, mint].map((each) => encoder.encode(each)),
  })
  return account
}
