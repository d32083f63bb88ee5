import { defineFailureReasons } from '@payments/kernel'

/** Why a deposit was not swapped. */
export const failureReasons = defineFailureReasons({
  account_frozen: {
    description: 'The issuer of a currency has frozen the token account of the deposit or of the destination',
    nextStep:
      'The deposit is sent back to the refund address once its account is unfrozen. Ask the issuer, or create another swap to another destination',
  },
  destination_account_missing: {
    description:
      'The destination has no token account for the currency, and more of them were created for the organisation on this day than it may have',
    nextStep:
      'The deposit is sent back to the refund address. Let the receiver create the account, or create another swap tomorrow (UTC)',
  },
  no_route: {
    description: 'Nobody offered to swap the amount',
    nextStep: 'The deposit is sent back to the refund address. Try again later, or with a smaller amount',
  },
  not_confirmed: {
    description: 'The network did not accept the swap, although it was sent several times',
    nextStep: 'The deposit is sent back to the refund address. Try again later',
  },
  organisation_suspended: {
    description: 'Your organisation was suspended before the deposit was swapped',
    nextStep: 'The deposit is sent back to the refund address. Contact support',
  },
  price_moved: {
    description: 'The price moved below the minimum amount of the swap before the deposit was swapped',
    nextStep: 'The deposit is sent back to the refund address. Create another swap, or one with more slippage',
  },
  provider_unavailable: {
    description: 'The swap provider could not be used for a long time',
    nextStep: 'The deposit is sent back to the refund address. Try again later',
  },
  swap_failed: {
    description: 'The swap was sent and failed on the network',
    nextStep: 'The deposit is sent back to the refund address. Create another swap',
  },
})
