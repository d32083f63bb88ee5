import { type Environment, isId, type Read, type Runtime, reader, system, unitOfWork } from '@payments/kernel'
import { sql } from 'kysely'
import { charge, spend } from './allowance.ts'
import { bookRest, type Found, inParts, type Synced } from './booking.ts'
import { RouteEntity, type RouteRow } from './entity.ts'
import { type DepositLook, type DepositReport, routesProvider } from './provider.ts'
import { no } from './refusals.ts'
import { POLL, SOON_SECONDS, wholeShare } from './schedule.ts'

/** Asks the provider what has changed at a route's address, or for all there ever was. No transaction is open meanwhile. */
async function look(read: Read, route: RouteRow, all = false): Promise<readonly DepositReport[]> {
  const { reports, calls } = await read.runtime.providers.get(routesProvider, route.environment).deposits({
    depositAddress: route.depositAddress,
    origin: { networkKey: route.originChainKey, currency: route.originCurrency },
    destination: { networkKey: route.destinationChainKey, currency: route.destinationCurrency },
    ...(all ? { since: null, underway: [] } : await known(read, route)),
  })
  if (calls > 1) await charge(read.runtime.pool, route.environment, calls - 1)
  return reports
}

/** A look that somebody asked for: it does not wait for its turn, but counts. */
export async function lookNow(read: Read, route: RouteRow, all = false): Promise<Found> {
  const { callsPerMinute } = read.runtime.providers.get(routesProvider, route.environment)
  await spend(read.runtime.pool, route.environment, callsPerMinute)
  return inParts(read, route, await look(read, route, all))
}

/**
 * What the provider need not be asked for again. `since`: the newest change that is known or the oldest deposit that is not final,
 * whichever was first, less an hour, so that reports which overtook each other and clocks that differ lose nothing; null, for
 * everything, while nothing is known. `underway`: the deposits that are not final.
 */
async function known(read: Read, route: RouteRow): Promise<Pick<DepositLook, 'since' | 'underway'>> {
  const { rows } = await sql<{ since: Date | string | null; underway: string[] }>`
    select case when newest.at is not null then least(now(), newest.at, pending.oldest) - interval '1 hour' end as since, pending.underway
      from (select max(relay_updated_at) as at from payment_route_deposits where payment_route_id = ${route.id}) as newest,
           (select min(relay_updated_at) as oldest, coalesce(array_agg(relay_request_id), '{}') as underway
              from payment_route_deposits where payment_route_id = ${route.id} and status = 'pending') as pending`.execute(
    read.em.getKysely(),
  )
  const { since, underway } = rows[0] ?? { since: null, underway: [] }
  return { since: since ? new Date(since) : null, underway }
}

/**
 * Brings the look at an address forward: what a provider's callback does, and all it does. An address that is no route's
 * changes nothing.
 */
export async function hasten(runtime: Runtime, environment: Environment, depositAddress: string): Promise<void> {
  const { rowCount } = await runtime.pool.query(
    `update payment_routes set next_poll_at = least(next_poll_at, now()), poll_seconds = least(poll_seconds, $3)
      where environment = $1 and lower(deposit_address) = lower($2)`,
    [environment, depositAddress, SOON_SECONDS],
  )
  if (rowCount) runtime.wake(POLL)
}

/** Looks at one route and books what it finds: what the poller does, without a merchant. */
export async function watch(
  runtime: Runtime,
  route: { id: string; organisationId: string; environment: 'test' | 'live' },
): Promise<Synced> {
  const actor = system(route.organisationId, route.environment)
  const read = reader(runtime, actor)
  const row = isId(route.id) ? await read.em.findOne(RouteEntity, { id: route.id }) : null
  if (!row) throw no.payment_route_not_found()
  const found = await inParts(read, row, await look(read, row, Math.random() < wholeShare(row.pollSeconds)))
  return unitOfWork(read, (work) => bookRest(work, found))
}
