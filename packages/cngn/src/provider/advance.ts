import { sqlOf, type UnitOfWork } from '@payments/platform'
import { DELIVERY, FEED } from './schedule.ts'

/** Moves the times at which sandbox movements settle, objects expire and lists are read closer by the given duration. */
export async function advance(unit: UnitOfWork, seconds: number): Promise<void> {
  const { organisationId } = unit.actor
  const db = sqlOf(unit.em)
  // In the sandbox, an organisation is its own account.
  await db.query(
    'update sandbox_cngn_transactions set settles_from = settles_from - make_interval(secs => $2) where account = $1',
    [organisationId, seconds],
  )
  await db.query(
    `update cngn_transfers set due_at = due_at - make_interval(secs => $2), absent_since = absent_since - make_interval(secs => $2)
      where organisation_id = $1 and environment = 'test' and status = 'pending' and due_at is not null`,
    [organisationId, seconds],
  )
  await db.query(
    `update cngn_sends set next_delivery_at = next_delivery_at - make_interval(secs => $2)
      where organisation_id = $1 and environment = 'test' and next_delivery_at is not null`,
    [organisationId, seconds],
  )
  await db.query(
    `update cngn_feeds set next_poll_at = next_poll_at - make_interval(secs => $2)
      where environment = 'test' and account = $1::text and next_poll_at > now()`,
    [organisationId, seconds],
  )
  for (const table of ['cngn_sends', 'cngn_receipts'])
    await db.query(
      `update ${table} set next_check_at = next_check_at - make_interval(secs => $2)
        where organisation_id = $1 and environment = 'test' and next_check_at is not null`,
      [organisationId, seconds],
    )
  unit.afterCommit(() => unit.runtime.trigger(FEED))
  unit.afterCommit(() => unit.runtime.trigger(DELIVERY))
}
