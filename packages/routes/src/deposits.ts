import {
  type Environment,
  isId,
  locked,
  move,
  newId,
  open,
  type Read,
  type Runtime,
  reader,
  refusals,
  system,
  unitOfWork,
  type Work,
} from '@payments/kernel'
import { type Draft, post } from '@payments/ledger'
import { sql } from 'kysely'
import { charge, spend } from './allowance.ts'
import { DepositEntity, type DepositRow, depositResource, RouteEntity, type RouteRow, routeResource } from './entity.ts'
import { bookings } from './journal.ts'
import { type DepositLook, type DepositReport, routesProvider } from './provider.ts'
import { no } from './refusals.ts'
import { nextLook, POLL, SOON_SECONDS } from './schedule.ts'

const EVENT = { completed: 'complete', failed: 'fail', refunded: 'refund' } as const

const gone = refusals({ deposit_gone: { status: 404, says: 'Deposit not found' } })

export interface Synced {
  readonly synced: number
  readonly created: number
  readonly updated: number
}

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
export async function lookNow(read: Read, route: RouteRow, all = false): Promise<readonly DepositReport[]> {
  const { callsPerMinute } = read.runtime.providers.get(routesProvider, route.environment)
  await spend(read.runtime.pool, route.environment, callsPerMinute)
  return look(read, route, all)
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

/** The deposit that a report is about: the same transaction at the same address, else the same request. */
async function reported(
  work: Work,
  route: RouteRow,
  { depositTxHash, requestId }: DepositReport,
): Promise<{ id: string } | null> {
  const same = depositTxHash === null ? [] : [{ paymentRouteId: route.id, depositTxHash }]
  const rows = await work.em.find(
    DepositEntity,
    { $or: [{ relayRequestId: requestId }, ...same] },
    { fields: ['id', 'depositTxHash'] },
  )
  return rows.find((row) => row.depositTxHash === depositTxHash) ?? rows[0] ?? null
}

/**
 * Books what the provider reported: each deposit once, each change once, in the caller's transaction. Reports that come
 * late, twice or out of order have no edge to take and change nothing.
 */
export async function book(work: Work, route: RouteRow, reports: readonly DepositReport[]): Promise<Synced> {
  let created = 0
  let updated = 0
  const drafts: Draft[] = []
  // Two looks at one route book one after the other: the second finds what the first has opened.
  await locked(work, routeResource, route.id, no.payment_route_not_found)
  for (const report of reports.toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1))) {
    const known = await reported(work, route, report)
    const opened = known ? undefined : await first(work, route, report)
    const id = known?.id ?? (opened as DepositRow).id
    if (opened) created++
    if (report.status === 'pending') {
      if (opened) drafts.push(...bookings(opened))
      continue
    }
    const { row, outcome } = await move(
      work,
      depositResource,
      id,
      EVENT[report.status],
      gone.deposit_gone,
      ({ depositTxHash }) => ({
        destinationAmount: report.destinationAmount,
        destinationAmountUsd: report.destinationAmountUsd,
        depositTxHash: depositTxHash ?? report.depositTxHash,
        failureReason: report.failureReason,
        relayUpdatedAt: report.updatedAt,
      }),
    )
    if (outcome === 'moved') drafts.push(...bookings(row))
    if (known && outcome === 'moved') updated++
  }
  // In one call, so that the accounts of all these deposits are locked in one order.
  await post(work, drafts)
  const moving =
    created + updated > 0 || (await work.em.count(DepositEntity, { paymentRouteId: route.id, status: 'pending' })) > 0
  await work.em.nativeUpdate(RouteEntity, { id: route.id }, nextLook(route, moving))
  return { synced: reports.length, created, updated }
}

async function first(work: Work, route: RouteRow, report: DepositReport): Promise<DepositRow> {
  return open(work, depositResource, {
    id: newId(),
    organisationId: route.organisationId,
    environment: route.environment,
    paymentRouteId: route.id,
    routeName: route.name,
    customerId: route.customerId ?? null,
    relayRequestId: report.requestId,
    originChainKey: report.origin.networkKey,
    originCurrency: report.origin.currency,
    originAmount: report.originAmount,
    originAmountUsd: report.originAmountUsd,
    destinationChainKey: route.destinationChainKey,
    destinationCurrency: route.destinationCurrency,
    destinationAddress: route.destinationAddress,
    destinationAmount: null,
    destinationAmountUsd: null,
    depositTxHash: report.depositTxHash,
    failureReason: null,
    relayUpdatedAt: report.updatedAt,
  })
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
  const reports = await look(read, row)
  return unitOfWork(read, (work) => book(work, row, reports))
}
