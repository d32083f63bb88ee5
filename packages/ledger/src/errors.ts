import { defineErrors, type ErrorFactory } from '@payments/kernel'

export const errors = defineErrors({
  insufficient_balance: {
    status: 422,
    message: 'Insufficient balance',
    constraint: 'ledger_accounts_not_negative',
    field: 'amount',
  },
  entry_unbalanced: { status: 422, message: 'Postings do not sum to zero', constraint: 'ledger_postings_balanced' },
  entry_empty: {
    status: 422,
    message: 'A journal entry needs at least one posting',
    constraint: 'ledger_entries_not_empty',
  },
  entry_differs: {
    status: 409,
    message: 'A different entry is already posted for this step',
    constraint: 'ledger_entries_content',
  },
  entry_reversed: { status: 409, message: 'Entry already reversed', constraint: 'ledger_entries_reversal_key' },
  entry_irreversible: {
    status: 409,
    message: 'This entry cannot be reversed',
    constraint: 'ledger_entries_reversible',
  },
  entry_not_found: { status: 404, message: 'Ledger entry not found', constraint: 'ledger_entries_reversal_known' },
  entry_of_object: {
    status: 409,
    message: 'This entry follows from the state of an object: change the object instead',
  },
  suspense_moved: {
    status: 409,
    message: 'The money is not in suspense any more: reverse the entry that moved it first',
  },
  payout_limit_exceeded: { status: 422, message: 'Daily limit of live payouts exceeded', field: 'amount' },
  payout_destination_refused: { status: 422, message: 'Destination is not among the allowed destinations' },
  transaction_not_found: { status: 404, message: 'Transaction not found' },
  ledger_account_not_found: { status: 404, message: 'Ledger account not found' },
})

/** The error of a violated constraint, from `overrides` if a domain has one for it; otherwise the error itself. */
export function errorFor(error: unknown, overrides: readonly ErrorFactory[] = []): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { constraint } = at as { constraint?: string }
    const row = constraint && [...overrides, ...Object.values(errors)].find((each) => each.constraint === constraint)
    if (row) return row({ cause: error })
  }
  return error
}
