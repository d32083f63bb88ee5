import { defineFailureReasons } from '@payments/kernel'

/** Why a deposit was not swapped. */
export const failureReasons = defineFailureReasons({
  no_route: {
    description: 'Nobody offered to swap the amount',
    nextStep: 'The deposit is sent back to the refund address. Try again later, or with a smaller amount',
  },
  not_confirmed: {
    description: 'The network did not accept the swap, although it was sent several times',
    nextStep: 'The deposit is sent back to the refund address. Try again later',
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
