import { deleteWhere, purgeJob } from '@payments/platform'

/** Deletes quotes a week after their end, and answers of banks that are not used again. */
export const fiatPurge = purgeJob('fiat.purge', [
  deleteWhere('fiat_quotes', "expires_at < now() - interval '7 days'"),
  deleteWhere('fiat_account_names', "checked_at < now() - interval '2 days'"),
])
