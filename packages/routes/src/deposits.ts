import {
  isId,
  move,
  newId,
  open,
  type Read,
  type Runtime,
  reader,
  refusals,
  refusing,
  system,
  unitOfWork,
  type Work,
} from '@payments/kernel'
import { type Draft, post } from '@payments/ledger'
import { DepositEntity, type DepositRow, depositResource, RouteEntity, type RouteRow } from './entity.ts'
import { bookings } from './journal.ts'
import { type DepositReport, routesProvider } from './provider.ts'
import { no } from './refusals.ts'

/** Seconds between two looks at a route: often while money is on its way, ever rarer while nothing happens. */
const BUSY_POLL_SECONDS = 2
const LONGEST_POLL_SECONDS = 600

const EVENT = { completed: 'complete', failed: 'fail', refunded: 'refund' } as const

const gone = refusals({ deposit_gone: { status: 404, says: 'Deposit not found' } })

export interface Synced {
  readonly synced: number
  readonly created: number
  readonly updated: number
}

/** Asks the provider what has arrived at a route's address. No transaction is open meanwhile. */
export function look(read: Read, route: RouteRow): Promise<readonly DepositReport[]> {
  return read.runtime.providers.get(routesProvider, route.environment).deposits({
    depositAddress: route.depositAddress,
    origin: { networkKey: route.originChainKey, currency: route.originCurrency },
    destination: { networkKey: route.destinationChainKey, currency: route.destinationCurrency },
  })
}

/**
 * Books what the provider reported: each deposit once, each change once, in the caller's transaction. Reports that come
 * late, twice or out of order have no edge to take and change nothing.
 */
export async function book(work: Work, route: RouteRow, reports: readonly DepositReport[]): Promise<Synced> {
  let created = 0
  let updated = 0
  let open = false
  const drafts: Draft[] = []
  // Always in the same order, so that two syncs of one route wait for each other instead of deadlocking.
  for (const report of reports.toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1))) {
    const known = await work.em.findOne(DepositEntity, { relayRequestId: report.requestId }, { fields: ['id'] })
    const opened = known ? undefined : await first(work, route, report)
    const id = known?.id ?? (opened as DepositRow).id
    if (opened) created++
    if (report.status === 'pending') {
      if (opened) drafts.push(...bookings(opened))
      open ||= !known
      continue
    }
    const { row, outcome } = await move(work, depositResource, id, EVENT[report.status], gone.deposit_gone, {
      destinationAmount: report.destinationAmount,
      destinationAmountUsd: report.destinationAmountUsd,
      depositTxHash: report.depositTxHash,
      failureReason: report.failureReason,
      relayUpdatedAt: report.updatedAt,
    })
    if (outcome === 'moved') drafts.push(...bookings(row))
    if (known && outcome === 'moved') updated++
  }
  // In one call, so that the accounts of all these deposits are locked in one order.
  await post(work, drafts)
  const pending = open || (await work.em.count(DepositEntity, { paymentRouteId: route.id, status: 'pending' })) > 0
  const pollSeconds =
    pending || created + updated > 0 ? BUSY_POLL_SECONDS : Math.min(route.pollSeconds * 2, LONGEST_POLL_SECONDS)
  await work.em.nativeUpdate(
    RouteEntity,
    { id: route.id },
    { pollSeconds, nextPollAt: new Date(Date.now() + pollSeconds * 1000) },
  )
  return { synced: reports.length, created, updated }
}

async function first(work: Work, route: RouteRow, report: DepositReport): Promise<DepositRow> {
  return refusing([], () =>
    open(work, depositResource, {
      id: newId(),
      organisationId: route.organisationId,
      environment: route.environment,
      paymentRouteId: route.id,
      routeName: route.name,
      customerId: route.customerId ?? null,
      relayRequestId: report.requestId,
      originChainKey: route.originChainKey,
      originCurrency: route.originCurrency,
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
    }),
  )
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
