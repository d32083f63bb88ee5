import { sqlOf, type UnitOfWork } from '@payments/platform'
import { DELIVER } from './dispatcher.ts'

/** Moves retries and the disabling of failing endpoints closer, in the sandbox. Times shown to merchants stay. */
export async function advance(unit: UnitOfWork, seconds: number): Promise<void> {
  const { organisationId } = unit.actor
  const client = sqlOf(unit.em)
  await client.query(
    `update webhook_queues q set due_at = q.due_at - make_interval(secs => $2), failing_since = q.failing_since - make_interval(secs => $2)
       from (select u.endpoint_id from webhook_queues u join webhook_endpoints w on w.id = u.endpoint_id
              where w.organisation_id = $1 and w.environment = 'test' order by u.endpoint_id for no key update of u) mine
      where q.endpoint_id = mine.endpoint_id`,
    [organisationId, seconds],
  )
  await client.query(
    `update webhook_deliveries d set due_at = d.due_at - make_interval(secs => $2)
       from webhook_endpoints w
      where w.organisation_id = $1 and w.environment = 'test' and d.endpoint_id = w.id and d.status = 'pending' and d.claim is null`,
    [organisationId, seconds],
  )
  unit.afterCommit(() => unit.runtime.trigger(DELIVER))
}
