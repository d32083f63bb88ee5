import { deleteWhere, purgeJob } from '@payments/platform'

/** Deletes quotes that are no longer shown. */
export const swapsPurge = purgeJob('swaps.purge', [deleteWhere('swap_rates', "quoted_at < now() - interval '1 day'")])
