import { deleteWhere, purgeJob } from '@payments/platform'
import { accountsSettings } from './settings.ts'

/** Challenges, requests of devices and tries of codes are kept for a day, sent emails for the longest time that a limit covers, ended sessions and their tokens for RETENTION_SESSIONS_DAYS. */
export const purge = purgeJob('accounts.purge', [
  "delete from challenges where id in (select id from challenges where created_at < now() - interval '1 day' limit $1)",
  "delete from device_requests where id in (select id from device_requests where created_at < now() - interval '1 day' limit $1)",
  "delete from code_tries where id in (select id from code_tries where tried_at < now() - interval '1 day' limit $1)",
  deleteWhere('email_sends', "sent_at < now() - interval '1 day'"),
  deleteWhere('sign_in_addresses', "signed_in_at < now() - interval '90 days'"),
  {
    // A session that ended before that time also began before it.
    statement:
      'delete from sessions where id in (select id from sessions where id < $2 and least(expires_at, revoked_at) < $3 limit $1)',
    days: (settings) => accountsSettings.from(settings).RETENTION_SESSIONS_DAYS,
  },
])
