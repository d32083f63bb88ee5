import { sqlOf, type UnitOfWork } from '@payments/platform'
import { POLL } from '../swaps/schedule.ts'

/**
 * Moves the end of the organisation's swaps, the transfers and transactions of its sandbox chain and the next polls closer
 * by the given duration. `expiresAt` stays as it was shown.
 */
export async function advance(unit: UnitOfWork, seconds: number): Promise<void> {
  const db = sqlOf(unit.em)
  const values = [unit.actor.organisationId, seconds]
  const own = "r.organisation_id = $1 and r.environment = 'test'"
  for (const [table, column] of [
    ['sandbox_swap_deposits', 'received_at'],
    ['sandbox_swap_transactions', 'settles_at'],
  ])
    await db.query(
      `update ${table} t set ${column} = t.${column} - make_interval(secs => $2) from swaps r
        where ${own} and t.address = r.deposit_address`,
      values,
    )
  await db.query(`update swaps r set deposits_until = deposits_until - make_interval(secs => $2) where ${own}`, values)
  await db.query(`update swap_polls r set next_poll_at = next_poll_at - make_interval(secs => $2) where ${own}`, values)
  unit.afterCommit(() => unit.runtime.trigger(POLL))
}
