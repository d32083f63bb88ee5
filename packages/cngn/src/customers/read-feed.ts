import type { UnitOfWork } from '@payments/platform'
import type { TransferRow } from '../entity.ts'

/** How soon the list of an account is read after an object that waits for money was created, seconds. */
const SECONDS = 15

/** The provider's list is read while the object waits for its money. The first object of an account starts its list now. */
export function readFeedSoon(unit: UnitOfWork, { environment, account }: TransferRow): void {
  unit.appendToCommit(
    {
      text: `insert into cngn_feeds as f (environment, account, next_poll_at, poll_seconds, checked_at)
        values ($1, $2, now() + make_interval(secs => $3::integer), $3::integer, now())
        on conflict (environment, account) do update
          set next_poll_at = excluded.next_poll_at, poll_seconds = excluded.poll_seconds
        where f.next_poll_at > excluded.next_poll_at + interval '1 minute'`,
      values: [environment, account, SECONDS],
    },
    'cngn.read_feed',
  )
}
