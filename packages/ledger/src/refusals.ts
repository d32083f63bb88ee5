import { type RefusalMaker, refusals } from '@payments/kernel'

export const no = refusals({
  insufficient_balance: { status: 422, says: 'Insufficient balance', constraint: 'ledger_accounts_not_negative' },
  entry_unbalanced: { status: 422, says: 'Postings do not sum to zero', constraint: 'ledger_postings_balanced' },
  entry_empty: { status: 422, says: 'An entry moves something', constraint: 'ledger_entries_not_empty' },
  entry_differs: {
    status: 409,
    says: 'Another entry is booked for this step',
    constraint: 'ledger_entries_content',
  },
  entry_reversed: { status: 409, says: 'Entry already reversed', constraint: 'ledger_entries_reversal_key' },
  entry_irreversible: {
    status: 409,
    says: 'This entry cannot be reversed',
    constraint: 'ledger_entries_reversible',
  },
  entry_not_found: { status: 404, says: 'Ledger entry not found', constraint: 'ledger_entries_reversal_known' },
  ledger_account_not_found: { status: 404, says: 'Ledger account not found' },
})

/** The refusal that the database meant, in a domain's own words where it has some (`instead`); else the error itself. */
export function refusalFor(error: unknown, instead: readonly RefusalMaker[] = []): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { constraint } = at as { constraint?: string }
    const row = constraint && [...instead, ...Object.values(no)].find((each) => each.constraint === constraint)
    if (row) return row({ cause: error })
  }
  return error
}
