import type { MoveDeclaration } from '@payments/platform'

const byAddress = [{ column: 'address', of: 'swaps', key: 'deposit_address' }] as const

/**
 * What becomes of swaps when an organisation moves to another cell. The keys of deposit addresses are derived from this cell's SWAP_SEED, so a
 * live swap whose address is still watched stays.
 */
export const moves: MoveDeclaration = {
  found: { sandbox_swap_addresses: byAddress, sandbox_swap_deposits: byAddress, sandbox_swap_transactions: byAddress },
  stays: {
    swap_addresses: "derived from this cell's seed",
    swap_fee_payer_changes: 'of the installation',
    swap_fee_payers: 'of the installation',
    swap_rates: 'prices',
    swap_upkeep: 'of the installation',
  },
  ownSecrets: ['SWAP_SEED'],
  obstacles: {
    "{count} live swaps have deposit addresses of this cell's SWAP_SEED that are still watched: wait until that has ended":
      "select count(*) from swap_polls where organisation_id = $1 and environment = 'live' and next_poll_at < 'infinity'",
  },
}
