import { sqlOf, type UnitOfWork } from '@payments/platform'
import { polls } from '../schedule/schedule.ts'

/**
 * Moves the times at which sandbox deposits were received and settle, and routes are polled, closer by the given duration. Deposits
 * that settled more than a week ago are left alone: nothing compares their times any more.
 */
export async function advance(unit: UnitOfWork, seconds: number): Promise<void> {
  const { organisationId } = unit.actor
  const db = sqlOf(unit.em)
  await db.query(
    `update sandbox_relay_requests q
        set created_at = q.created_at - make_interval(secs => $2),
            settles_at = case when q.settles_at > now() then q.settles_at - make_interval(secs => $2) else q.settles_at end
       from payment_route_addresses a
      where a.organisation_id = $1 and a.environment = 'test' and a.address = lower(q.address)
        and q.settles_at > now() - interval '8 days'`,
    [organisationId, seconds],
  )
  await polls.advance(unit, seconds)
}
