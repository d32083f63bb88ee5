import { sqlOf, type UnitOfWork } from '@payments/platform'
import { advanceLater, CHANGES, makeSome } from './endpoints/changes.ts'
import { DELIVER } from './queue/queue.ts'

/**
 * Moves retries and the disabling of failing endpoints closer, in the sandbox. Times shown to merchants stay. A bounded part of it happens
 * in this transaction, for queues that nobody has locked; the task makes the rest.
 */
export async function advance(unit: UnitOfWork, seconds: number): Promise<void> {
  const { organisationId } = unit.actor
  const client = sqlOf(unit.em)
  const { rows } = await client.query<{ id: string }>(
    "select id from webhook_endpoints where organisation_id = $1 and environment = 'test' and status <> 'revoked'",
    [organisationId],
  )
  const endpoints = rows.map(({ id }) => id)
  if (endpoints.length === 0) return
  await advanceLater(client, endpoints, 'test', seconds)
  await makeSome(client, endpoints)
  unit.afterCommit(() => {
    unit.runtime.trigger(CHANGES)
    unit.runtime.trigger(DELIVER)
  })
}
