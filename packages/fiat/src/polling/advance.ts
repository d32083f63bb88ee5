import { sqlOf, type UnitOfWork } from '@payments/platform'
import { polls } from '../orders/schedule.ts'

/** Moves the times at which sandbox orders settle and expire, quotes end and orders are polled closer by the given duration. */
export async function advance(unit: UnitOfWork, seconds: number): Promise<void> {
  const { organisationId } = unit.actor
  const db = sqlOf(unit.em)
  await db.query(
    `update sandbox_fiat_orders s
        set expires_at = s.expires_at - make_interval(secs => $2), received_at = s.received_at - make_interval(secs => $2)
       from fiat_polls q
      where q.organisation_id = $1 and q.environment = 'test' and s.reference = q.id`,
    [organisationId, seconds],
  )
  await db.query(
    `update fiat_quotes set expires_at = expires_at - make_interval(secs => $2)
      where organisation_id = $1 and environment = 'test' and expires_at > now()`,
    [organisationId, seconds],
  )
  await polls.advance(unit, seconds)
}
