import { purgeJob } from '@payments/platform'

/** Deletes quotes that are no longer shown. */
export const swapsPurge = purgeJob('swaps.purge', [
  "delete from swap_rates where ctid in (select ctid from swap_rates where quoted_at < now() - interval '1 day' limit $1)",
])
