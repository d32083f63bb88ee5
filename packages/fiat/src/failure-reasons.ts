import { defineFailureReasons, type FailureReasons } from '@payments/kernel'

const createAnother = 'Create another order'
const correctAccount = 'Check the account number and the bank with its holder, then create another order'
const support = 'Contact support and name the id of the order; the provider may ask for information about the payer'

/** Why an offramp failed. */
export const offrampFailures = defineFailureReasons({
  deposit_not_received: {
    description: 'No deposit arrived before the deposit address expired',
    nextStep: `${createAnother}; a deposit that arrives later is sent back to the refund address`,
  },
  invalid_account_number: {
    description: 'The bank rejected the account number; the deposit is sent back to the refund address',
    nextStep: correctAccount,
  },
  compliance_rejected: {
    description:
      'The provider rejected the payment in its compliance check; the deposit is sent back to the refund address',
    nextStep: 'Do not repeat the order',
  },
  compliance_hold: {
    description: 'The provider holds the deposit for a compliance review',
    nextStep: support,
  },
  payout_failed: {
    description: 'The provider could not make the bank transfer; the deposit is sent back to the refund address',
    nextStep: createAnother,
  },
  returned_by_bank: {
    description: 'The destination bank returned the transfer; the deposit is sent back to the refund address',
    nextStep: correctAccount,
  },
})

/** Why an onramp failed. */
export const onrampFailures = defineFailureReasons({
  payment_not_received: {
    description: 'No payment arrived at the account of the order',
    nextStep: createAnother,
  },
  payment_too_late: {
    description: 'The payment arrived after the order had expired and is sent back to the refund account',
    nextStep: createAnother,
  },
  compliance_rejected: {
    description:
      'The provider rejected the payment in its compliance check; the payment is sent back to the refund account',
    nextStep: 'Do not repeat the order',
  },
  compliance_hold: {
    description: 'The provider holds the payment for a compliance review',
    nextStep: support,
  },
  delivery_failed: {
    description: 'The provider could not deliver the stablecoin; the payment is sent back to the refund account',
    nextStep: createAnother,
  },
})

export type OfframpFailure = keyof typeof offrampFailures.table
export type OnrampFailure = keyof typeof onrampFailures.table

/** The text for the merchant of a reason that a resource shows. */
export const explained = ({ table }: FailureReasons, code: unknown): string => {
  const reason = table[String(code)]
  return reason ? `${reason.description}. ${reason.nextStep}.` : ''
}
