import { defineFailureReasons, type FailureReasons } from '@payments/kernel'

const another = 'Create another one'
const correctAccount = 'Check the account number and the bank with its holder, then create another payout'
const late = 'Money that arrives later is not lost'

const expired = (what: string, then: string) => ({ description: `${what} before the end of the time`, nextStep: then })
const rejected = {
  description: 'The provider rejected the transfer in its compliance check; the money is back in the balance',
  nextStep: 'Do not repeat it',
}

const approvalFailures = {
  approval_rejected: {
    description: 'A second person rejected it; the money is back in the balance',
    nextStep: 'Ask them why before you create another one',
  },
  approval_expired: {
    description: 'Nobody approved it within 72 hours; the money is back in the balance',
    nextStep: 'Create another one, and ask an owner or finance member to approve it',
  },
}

/** Why an object failed, by its kind. */
export const failures = {
  convert: defineFailureReasons({
    expired: expired('No deposit arrived', `${another}. ${late}: it is converted, and appears as an object of its own`),
    conversion_failed: {
      description: 'The provider could not convert the money',
      nextStep: `${another}; cNGN that was not converted is back in the balance`,
    },
    conversion_refunded: {
      description: 'The provider sent the money back; what it kept for that is the fee',
      nextStep: another,
    },
    compliance_rejected: rejected,
    ...approvalFailures,
  }),
  withdrawal: defineFailureReasons({
    withdrawal_failed: {
      description: 'The provider could not send the withdrawal; the money is back in the balance',
      nextStep: another,
    },
    compliance_rejected: rejected,
    ...approvalFailures,
  }),
  payout: defineFailureReasons({
    invalid_account_number: {
      description: 'The bank rejected the account number; the money is back in the balance',
      nextStep: correctAccount,
    },
    returned_by_bank: {
      description: 'The bank returned the transfer; the money is back in the balance',
      nextStep: correctAccount,
    },
    payout_failed: {
      description: 'The provider could not make the bank transfer; the money is back in the balance',
      nextStep: another,
    },
    compliance_rejected: rejected,
    ...approvalFailures,
  }),
  payin: defineFailureReasons({
    expired: expired('No payment arrived', `${another}. ${late}: it is credited, and appears as a payin of its own`),
    payin_failed: { description: 'The provider could not accept the payment', nextStep: 'Ask the payer to pay again' },
  }),
  deposit: defineFailureReasons({
    expired: expired(
      'No deposit arrived',
      `The address stays valid. ${late}: it is credited, and appears as an object of its own`,
    ),
    deposit_failed: { description: 'The provider could not accept the deposit', nextStep: 'Contact support' },
  }),
}

/** Why the identity of a customer could not be verified. */
export const enablementFailures = defineFailureReasons({
  customer_name_bvn_mismatch: {
    description: 'The name does not belong to the BVN',
    nextStep: 'Enable again with first and last name as the bank knows them',
  },
  bvn_not_found: { description: 'There is no such BVN', nextStep: 'Check the number with the customer' },
  verification_unavailable: {
    description: 'The identity provider did not answer within a day',
    nextStep: 'Enable again',
  },
})

type CodeOf<F> = F extends FailureReasons<infer C> ? C : never
export type Failure = CodeOf<(typeof failures)[keyof typeof failures]>
export type EnablementFailure = CodeOf<typeof enablementFailures>

/** The text for the merchant of a reason that an object shows. */
export const explained = ({ table }: FailureReasons, code: unknown): string => {
  const reason = table[String(code)]
  return reason ? `${reason.description}. ${reason.nextStep}.` : ''
}
