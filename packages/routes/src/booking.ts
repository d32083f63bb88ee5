import { locked, move, newId, open, type Read, reader, refusals, system, unitOfWork, type Work } from '@payments/kernel'
import { type Draft, post } from '@payments/ledger'
import { sql } from 'kysely'
import { DepositEntity, type DepositRow, depositResource, RouteEntity, type RouteRow, routeResource } from './entity.ts'
import { bookings } from './journal.ts'
import type { DepositReport } from './provider.ts'
import { no } from './refusals.ts'
import { nextLook } from './schedule.ts'

const EVENT = { completed: 'complete', failed: 'fail', refunded: 'refund' } as const

/** Reports that are booked in one transaction, so that none takes long. */
const PART = 250

const gone = refusals({ deposit_gone: { status: 404, says: 'Deposit not found' } })

export interface Synced {
  readonly synced: number
  readonly created: number
  readonly updated: number
}

/** A deposit as far as a report needs to know it. */
type Known = Pick<DepositRow, 'id' | 'status'>

/**
 * The deposits that these reports are about, in one statement: by the transaction at this address, else by the request. What is
 * opened and moved meanwhile is noted.
 */
async function booked(work: Work, route: RouteRow, reports: readonly DepositReport[]) {
  const { rows } = await sql<Known & { request: string; hash: string | null }>`
    select id, status, relay_request_id as request, deposit_tx_hash as hash from payment_route_deposits
     where organisation_id = ${route.organisationId} and environment = ${route.environment}
       and relay_request_id = any (${reports.map(({ requestId }) => requestId)}::text[])
     union
    select id, status, relay_request_id, deposit_tx_hash from payment_route_deposits
     where payment_route_id = ${route.id}
       and deposit_tx_hash = any (${reports.map(({ depositTxHash }) => depositTxHash)}::text[])`.execute(
    work.em.getKysely(),
  )
  const byRequest = new Map<string, Known>(rows.map((row) => [row.request, row]))
  const byHash = new Map<string | null, Known>(rows.map((row) => [row.hash, row]))
  byHash.delete(null)
  return {
    of: ({ depositTxHash, requestId }: DepositReport) => byHash.get(depositTxHash) ?? byRequest.get(requestId),
    note({ depositTxHash, requestId }: DepositReport, row: Known): void {
      byRequest.set(requestId, row)
      if (depositTxHash !== null) byHash.set(depositTxHash, row)
    },
  }
}

const byTime = (a: DepositReport, b: DepositReport): number =>
  a.updatedAt.getTime() - b.updatedAt.getTime() || (a.requestId < b.requestId ? -1 : 1)

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
  const known = await booked(work, route, reports)
  for (const report of reports.toSorted(byTime)) {
    const before = known.of(report)
    const opened = before ? undefined : await first(work, route, report)
    if (opened) {
      created++
      known.note(report, opened)
    }
    if (report.status === 'pending') {
      if (opened) drafts.push(...bookings(opened))
      continue
    }
    const { id, status } = (before ?? opened) as Known
    // What is final stays: nothing is locked for a report that `move` would ignore.
    if (status !== 'pending') continue
    const { row } = await move(
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
    known.note(report, row)
    drafts.push(...bookings(row))
    if (before) updated++
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

/** What a look found, of which all that did not fit into one transaction is booked already. */
export interface Found {
  readonly route: RouteRow
  readonly left: readonly DepositReport[]
  readonly done: Synced
}

/**
 * Books all of a long look but its last part, each part in a transaction of its own. The oldest first: what a part that fails leaves
 * out is newer than all that is known, and the next look asks for it again.
 */
export async function inParts(read: Read, route: RouteRow, reports: readonly DepositReport[]): Promise<Found> {
  const own = reader(read.runtime, system(route.organisationId, route.environment), read.log)
  const left = reports.toSorted(byTime)
  let done: Synced = { synced: 0, created: 0, updated: 0 }
  while (left.length > PART) {
    const part = left.splice(0, PART)
    done = sum(done, await unitOfWork(own, (work) => book(work, route, part)))
  }
  return { route, left, done }
}

const sum = (a: Synced, b: Synced): Synced => ({
  synced: a.synced + b.synced,
  created: a.created + b.created,
  updated: a.updated + b.updated,
})

/** Books what is left of a look, in the caller's transaction. */
export const bookRest = async (work: Work, { route, left, done }: Found): Promise<Synced> =>
  sum(done, await book(work, route, left))
