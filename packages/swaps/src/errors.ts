import { defineErrors } from '@payments/kernel'

export const errors = defineErrors({
  swap_not_found: { status: 404, message: 'Swap not found' },
  swap_not_cancellable: { status: 409, message: 'Swap cannot be cancelled' },
  rates_limited: { status: 429, message: 'Too many requests for new rates, please retry' },
  swap_nothing_to_settle: { status: 409, message: 'Nothing of this swap is left to settle this way' },
  swap_evidence_used: { status: 409, message: 'The transaction is counted by a swap already' },
  swap_transaction_open: {
    status: 409,
    message: 'A transaction of this swap may still be accepted by the network: wait until it has expired',
  },
  swap_refund_account_missing: {
    status: 409,
    message: 'The refund address has no token account, and the rent of one was paid before: the refund waits for one',
  },
  swap_not_held: { status: 409, message: 'The swap is not held' },
  swap_account_frozen: {
    status: 409,
    message:
      'The issuer of the currency has frozen the token account of the deposit or of the refund address: the refund waits until it is unfrozen',
  },
  swap_refund_limit_reached: {
    status: 409,
    message: 'The refunds of the organisation have reached SWAP_REFUND_SOL_PER_DAY: they go on tomorrow, UTC',
  },
  swap_provider_failed: { status: 502, message: 'The swap provider failed, please retry' },
  swap_provider_unavailable: { status: 503, message: 'The swap provider is not available, please retry' },
})
