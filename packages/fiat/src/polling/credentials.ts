import { system } from '@payments/kernel'
import { locked, OTHER_CREDENTIALS, queryContext, type Runtime, sqlOf, unitOfWork } from '@payments/platform'
import { type OrderRow, orderMissing, orderResource, update } from '../orders/orders.ts'
import type { Direction, FiatProvider } from '../provider/provider.ts'
import type { ClaimedOrder } from './limits.ts'
import { endPolls, isInFlight, keepPolls, nextPoll } from './schedule.ts'

/**
 * Lets an order wait that was created with other credentials than those of now: an account says of the orders of another that there are none.
 * One whose money may be on its way is listed for operators. Nothing of it changes until the credentials are there again, or an
 * operator asks with those of now and they show it.
 */
export async function waitForCredentials(runtime: Runtime, claimed: ClaimedOrder): Promise<void> {
  const { id, direction, organisationId, environment, pollSeconds } = claimed
  await unitOfWork(queryContext(runtime, system(organisationId, environment)), async (unit) => {
    let order = await locked(unit, orderResource[direction], id, orderMissing[direction])
    if (!order.attention && isInFlight(order))
      order = await update(unit, direction, order, { attention: OTHER_CREDENTIALS })
    const next = nextPoll(order, pollSeconds, false)
    if (next) await keepPolls(sqlOf(unit.em), direction, order, next)
    else await endPolls(sqlOf(unit.em), id)
  })
}

const BIND = { offramp: bindIn('offramps'), onramp: bindIn('onramps') } as const
function bindIn(table: string): string {
  return `update ${table} set credentials = $2 where id = $1 and credentials is not distinct from $3`
}

/**
 * Keeps with an order the credentials that show it: an account shows its own orders only. For orders that were created before credentials were
 * kept, and for those that an operator asks about after the key was made anew.
 */
export async function bindCredentials(
  { pool }: Runtime,
  provider: FiatProvider,
  direction: Direction,
  { id, credentials = null }: OrderRow,
): Promise<void> {
  if (provider.credentials === undefined || credentials === provider.credentials) return
  await pool.query(BIND[direction], [id, provider.credentials, credentials])
}
