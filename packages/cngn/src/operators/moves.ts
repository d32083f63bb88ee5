import type { MoveDeclaration } from '@payments/platform'

const OF_ACCOUNT = 'account = $1::uuid::text'

/**
 * What becomes of cNGN when an organisation moves to another cell. In the test environment it has an account of its own, which moves. The live
 * account is the installation's: what it holds or may receive for the organisation cannot be taken along.
 */
export const moves: MoveDeclaration = {
  found: {
    cngn_checkpoints: OF_ACCOUNT,
    cngn_feeds: OF_ACCOUNT,
    cngn_forgotten: OF_ACCOUNT,
    cngn_listed: OF_ACCOUNT,
    cngn_receipts: `organisation_id = $1 or ${OF_ACCOUNT}`,
    sandbox_cngn_transactions: OF_ACCOUNT,
  },
  stays: {
    cngn_treasuries: "the installation's account",
    cngn_treasury_adjustments: "the installation's account",
  },
  obstacles: {
    "{count} live cNGN objects are under way at this cell's account of the provider: wait until they have ended, or settle them":
      "select count(*) from cngn_transfers where organisation_id = $1 and environment = 'live' and status in ('pending', 'processing')",
    "{count} customers have live bank accounts at this cell's account of the provider: what is paid there would not reach the other cell":
      "select count(*) from cngn_virtual_accounts where organisation_id = $1 and environment = 'live'",
  },
}
