import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  cngn_convert_not_found: { status: 404, message: 'Convert not found' },
  cngn_withdrawal_not_found: { status: 404, message: 'Withdrawal not found' },
  cngn_payout_not_found: { status: 404, message: 'Payout not found' },
  cngn_payin_not_found: { status: 404, message: 'Payin not found' },
  cngn_deposit_not_found: { status: 404, message: 'Deposit not found' },
  cngn_transfer_not_found: { status: 404, message: 'cNGN object not found' },
  cngn_receipt_not_found: { status: 404, message: 'Transfer in suspense not found' },
  cngn_already_enabled: {
    status: 409,
    message: 'cNGN is already enabled for the customer, or being enabled',
    constraint: 'cngn_enablements_current',
  },
  cngn_attempts_exceeded: { status: 409, message: 'Three attempts to enable cNGN were made today; try again tomorrow' },
  cngn_not_enabled: { status: 409, message: 'cNGN is not enabled for the customer' },
  cngn_reference_used: {
    status: 409,
    message: 'Reference already used',
    constraint: 'cngn_transfers_reference_key',
  },
  payout_approval_not_found: { status: 404, message: 'Payout approval not found' },
  payout_approval_ended: { status: 409, message: 'The payout does not wait for an approval any more' },
  payout_approval_in_doubt: {
    status: 409,
    message: 'We are checking with the provider whether this payout was sent already; try again in a few minutes',
  },
  payout_approval_own: {
    status: 403,
    message: 'Another owner or finance member must answer: you asked for this payout',
  },
  cngn_receipt_assigned: { status: 409, message: 'The transfer is not in suspense' },
  cngn_nothing_to_settle: {
    status: 409,
    message: 'The object has ended as the provider reported it, or cannot end like that',
  },
  cngn_evidence_used: { status: 409, message: 'The provider’s reference belongs to another object' },
  cngn_send_under_way: {
    status: 409,
    message: 'The provider may still answer the call for this object; try again in two minutes',
  },
  cngn_nothing_held: { status: 409, message: 'The object is not held: nothing waits for its release' },
  cngn_suspense_moved: { status: 409, message: 'The money is not in suspense any more' },
  cngn_suspense_held: { status: 409, message: 'The money is still in suspense' },
  cngn_difference_other: { status: 422, message: 'The last comparison did not find this difference' },
  sandbox_cngn_closed: { status: 409, message: 'The object does not wait for money any more' },
  cngn_insufficient_balance: {
    status: 422,
    message: 'Insufficient cNGN balance',
    field: 'amount',
    constraint: 'ledger_accounts_not_negative',
  },
  cngn_provider_failed: { status: 502, message: 'The cNGN provider failed, please retry' },
  cngn_provider_unavailable: { status: 503, message: 'The cNGN provider is not available, please retry' },
  cngn_other_account: {
    status: 503,
    message: 'The provider does not show the movements of this account: the API key may be of another account',
  },
  cngn_provider_busy: { status: 503, message: 'The cNGN provider accepts no more calls at the moment, please retry' },
  cngn_float_short: {
    status: 503,
    message: 'cNGN cannot be sent at the moment: the balance at the provider is being checked',
  },
  identity_unavailable: { status: 503, message: 'The identity provider is not available, please retry' },
})
