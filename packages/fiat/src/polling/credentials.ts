import { type Environment, system } from '@payments/kernel'
import { locked, OTHER_CREDENTIALS, queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { errors } from '../errors.ts'
import { type OrderRow, orderMissing, orderResource, update } from '../orders/orders.ts'
import { endPolls, isInFlight, keepPolls, nextPoll } from '../orders/schedule.ts'
import type { ClaimedOrder } from '../provider/limits.ts'
import type { Direction, FiatProvider } from '../provider/provider.ts'

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
    if (next) keepPolls(unit, direction, order, next)
    else endPolls(unit, id)
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

/** The newest orders of the same credentials that are still polled and were shown when last asked about. Ids rise with time. */
const SHOWN = `select q.id, q.created_at as "createdAt" from fiat_polls q
     left join offramps o on o.id = q.id left join onramps r on r.id = q.id
   where q.provider = $1 and q.environment = $2 and q.id <> $3 and q.cancelled_since is null
     and coalesce(o.credentials, r.credentials) is not distinct from $4
   order by q.id desc limit 20`

/** The provider has an order before we do, by a clock of its own. */
const EARLIER_MS = 3_600_000

interface Shown {
  readonly id: string
  readonly createdAt: string
}

/**
 * A provider that does not show an order has cancelled it, or our key is of another account, which may have orders of its own. The key is
 * right where the provider lists another order of ours. A provider without a list is believed.
 * @throws fiat_order_not_shown 503 where it lists none: nothing is known of the order
 */
export async function expectOurAccount(
  { pool }: Runtime,
  { name, ordersSince }: FiatProvider,
  order: Pick<OrderRow, 'id' | 'credentials'> & { readonly environment: Environment },
): Promise<void> {
  if (!ordersSince) return
  const { rows } = await pool.query<Shown>(SHOWN, [name, order.environment, order.id, order.credentials ?? null])
  const oldest = rows.at(-1)
  const ours = new Set(rows.map(({ id }) => id))
  const listed = oldest ? await ordersSince(new Date(Date.parse(oldest.createdAt) - EARLIER_MS)) : []
  if (!listed.some(({ reference }) => reference !== null && ours.has(reference))) throw errors.fiat_order_not_shown()
}
