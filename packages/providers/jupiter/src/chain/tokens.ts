import type { Currency } from '@payments/swaps'
import { type Address, address } from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'

/** Mints on mainnet: Circle's own list. Both belong to the token program and have six decimals. */
export const MINTS: Readonly<Record<Currency, Address>> = {
  EURC: address('HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr'),
  USDC: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
}
export const DECIMALS = 6

/** The token account of a wallet, wherever its tokens are sent. */
export async function tokenAccountOf(owner: string, mint: Address): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    owner: address(owner),
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  return account
}
