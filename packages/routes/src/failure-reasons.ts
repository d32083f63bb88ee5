import { defineFailureReasons } from '@payments/kernel'

/** Why a deposit was not delivered. */
export const failureReasons = defineFailureReasons({
  amount_too_low: {
    description: 'The deposit does not cover the cost of delivering or returning it',
    nextStep: 'Ask the payer for larger amounts; contact support about this one',
  },
  delivery_failed: {
    description: 'The provider could not deliver the deposit',
    nextStep: 'Contact support if the deposit was not returned to the refund address',
  },
  deposit_expired: {
    description: 'The deposit arrived or was processed too late for its quote',
    nextStep: 'Ask the payer to pay again',
  },
  deposit_not_confirmed: {
    description: 'The deposit disappeared from the origin chain or was not confirmed there',
    nextStep: 'Ask the payer to check the transaction and to pay again',
  },
  no_liquidity: {
    description: 'Nobody offered to deliver the amount',
    nextStep: 'Try again later, or with a smaller amount',
  },
  price_moved: {
    description: 'The price moved beyond the permitted slippage before the deposit was delivered',
    nextStep: 'Ask the payer to pay again',
  },
  provider_blocked: {
    description: 'The provider holds the deposit for a compliance review and has not returned it',
    nextStep: 'Contact support: the provider may ask for information about the payer',
  },
  wrong_currency: {
    description: 'The payer sent another currency, or on another network, than the payment route accepts',
    nextStep: 'Ask the payer to send the currency of the payment route on its network',
  },
})
