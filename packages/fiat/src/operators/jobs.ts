import { purgeJob } from '@payments/platform'

/** Deletes quotes a week after their end, and answers of banks that are not used again. */
export const fiatPurge = purgeJob('fiat.purge', [
  "delete from fiat_quotes where ctid in (select ctid from fiat_quotes where expires_at < now() - interval '7 days' limit $1)",
  "delete from fiat_account_names where ctid in (select ctid from fiat_account_names where checked_at < now() - interval '2 days' limit $1)",
])
