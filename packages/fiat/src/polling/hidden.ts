import type { Environment } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import { errors } from '../api/errors.ts'
import type { OrderRow } from '../orders/orders.ts'
import type { FiatProvider } from '../provider/provider.ts'

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
