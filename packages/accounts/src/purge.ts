import { purgeJob } from '@payments/platform'

/** Challenges are kept for a day, sent emails for the longest time that a limit covers, ended sessions and their tokens for a week. */
export const purge = purgeJob('accounts.purge', [
  "delete from challenges where id in (select id from challenges where created_at < now() - interval '1 day' limit $1)",
  "delete from email_sends where ctid in (select ctid from email_sends where sent_at < now() - interval '1 day' limit $1)",
  "delete from sign_in_addresses where ctid in (select ctid from sign_in_addresses where signed_in_at < now() - interval '90 days' limit $1)",
  "delete from sessions where id in (select id from sessions where least(expires_at, revoked_at) < now() - interval '7 days' limit $1)",
])
