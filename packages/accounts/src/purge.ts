import type { Loop } from '@payments/kernel'

const BATCH = 1000

/** What may go: challenges after a day, counted codes after their hour, ended sessions (with their tokens) after a week. */
const STATEMENTS = [
  "delete from challenges where id in (select id from challenges where created_at < now() - interval '1 day' limit $1)",
  "delete from code_sends where ctid in (select ctid from code_sends where sent_at < now() - interval '1 hour' limit $1)",
  "delete from sessions where id in (select id from sessions where least(expires_at, revoked_at) < now() - interval '7 days' limit $1)",
]

/** Removes what sign-in leaves behind, in batches, so that no statement locks for long. */
export const purgeLoop: Loop = {
  name: 'accounts.purge',
  everyMs: 600_000,
  async run(runtime) {
    let more = false
    for (const statement of STATEMENTS) {
      const { rowCount } = await runtime.pool.query(statement, [BATCH])
      more ||= rowCount === BATCH
    }
    return more
  },
}
