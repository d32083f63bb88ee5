import { purgeJob } from '@payments/platform'

/** Challenges are kept for a day, sent codes for the hour that the limit covers, ended sessions and their tokens for a week. */
export const purge = purgeJob('accounts.purge', [
  "delete from challenges where id in (select id from challenges where created_at < now() - interval '1 day' limit $1)",
  "delete from code_sends where ctid in (select ctid from code_sends where sent_at < now() - interval '1 hour' limit $1)",
  "delete from sessions where id in (select id from sessions where least(expires_at, revoked_at) < now() - interval '7 days' limit $1)",
])
