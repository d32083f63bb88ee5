import { newId, system } from '@payments/kernel'
import { type Draft, post } from '@payments/ledger'
import {
  createResource,
  locked,
  move,
  type QueryContext,
  queryContext,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import { sql } from 'kysely'
import {
  DepositEntity,
  type DepositRow,
  depositResource,
  hiddenDepositResource,
  hiddenRouteResource,
  RouteEntity,
  type RouteRow,
  routeResource,
  WITH_HIDDEN,
} from './entity.ts'
import { errors } from './errors.ts'
import { type HiddenDeposit, hiddenDeposits, toHiddenDeposit } from './hidden-deposits.ts'
import { journalDrafts } from './journal.ts'
import type { DepositReport } from './provider.ts'
import { nextPoll } from './schedule.ts'

const EVENT = { completed: 'complete', failed: 'fail', refunded: 'refund' } as const

/** Reports that are applied in one transaction, so that none takes long. */
const PART = 250

export interface SyncCounts {
  readonly synced: number
  readonly created: number
  readonly updated: number
}

/** What a report needs to know of a deposit that is stored. */
type StoredDeposit = Pick<DepositRow, 'id' | 'status'>

/**
 * The stored deposits that reports are about, in one statement: by the transaction at this address, else by the request.
 * Deposits that are created or changed meanwhile are remembered.
 */
async function findExisting(unit: UnitOfWork, route: RouteRow, reports: readonly DepositReport[]) {
  const { rows } = await sql<StoredDeposit & { request: string; hash: string | null }>`
    select id, status, relay_request_id as request, deposit_tx_hash as hash from payment_route_deposits
     where organisation_id = ${route.organisationId} and environment = ${route.environment}
       and relay_request_id = any (${reports.map(({ requestId }) => requestId)}::text[])
     union
    select id, status, relay_request_id, deposit_tx_hash from payment_route_deposits
     where payment_route_id = ${route.id}
       and deposit_tx_hash = any (${reports.map(({ depositTxHash }) => depositTxHash)}::text[])`.execute(
    unit.em.getKysely(),
  )
  const byRequest = new Map<string, StoredDeposit>(rows.map((row) => [row.request, row]))
  const byHash = new Map<string | null, StoredDeposit>(rows.map((row) => [row.hash, row]))
  byHash.delete(null)
  return {
    of: ({ depositTxHash, requestId }: DepositReport) => byHash.get(depositTxHash) ?? byRequest.get(requestId),
    remember({ depositTxHash, requestId }: DepositReport, row: StoredDeposit): void {
      byRequest.set(requestId, row)
      if (depositTxHash !== null) byHash.set(depositTxHash, row)
    },
  }
}

const byTime = (a: DepositReport, b: DepositReport): number =>
  a.updatedAt.getTime() - b.updatedAt.getTime() || (a.requestId < b.requestId ? -1 : 1)

/**
 * Applies what the provider reported: each deposit once, each change once, in the caller's transaction. Reports that are
 * late, repeated or out of order have no edge to follow and change nothing.
 */
export async function applyReports(
  unit: UnitOfWork,
  route: RouteRow,
  reports: readonly DepositReport[],
): Promise<SyncCounts> {
  let created = 0
  let updated = 0
  const drafts: Draft[] = []
  const hidden = new Map<string, HiddenDeposit>()
  const changed = (row: DepositRow, report: DepositReport) => {
    if (route.hidden) hidden.set(row.id, toHiddenDeposit(row, report))
    else drafts.push(...journalDrafts(row))
  }
  // Two polls of one route are applied one after the other: the second finds what the first created.
  await locked(unit, route.hidden ? hiddenRouteResource : routeResource, route.id, errors.payment_route_not_found)
  const existing = await findExisting(unit, route, reports)
  for (const report of reports.toSorted(byTime)) {
    const before = existing.of(report)
    const deposit = before ? undefined : createDeposit(unit, route, report)
    if (deposit) {
      created++
      existing.remember(report, deposit)
    }
    if (report.status === 'pending') {
      if (deposit) changed(deposit, report)
      continue
    }
    const { id, status } = (before ?? deposit) as StoredDeposit
    // What is final stays: nothing is locked for a report that `move` would ignore.
    if (status !== 'pending') continue
    const { row } = await move(
      unit,
      route.hidden ? hiddenDepositResource : depositResource,
      id,
      EVENT[report.status],
      errors.deposit_not_found,
      ({ depositTxHash }) => ({
        destinationAmount: report.destinationAmount,
        destinationAmountUsd: report.destinationAmountUsd,
        depositTxHash: depositTxHash ?? report.depositTxHash,
        failureReason: report.failureReason,
        providerReason: report.providerReason,
        relayUpdatedAt: report.updatedAt,
      }),
    )
    existing.remember(report, row)
    changed(row, report)
    if (before) updated++
  }
  // In one call, so that the accounts of all these deposits are locked in one order.
  await post(unit, drafts)
  if (hidden.size > 0)
    await unit.runtime.providers.get(hiddenDeposits, route.environment).apply(unit, route.id, [...hidden.values()])
  const moving =
    created + updated > 0 ||
    (await unit.em.count(DepositEntity, { paymentRouteId: route.id, status: 'pending' }, { filters: WITH_HIDDEN })) > 0
  await unit.em.nativeUpdate(RouteEntity, { id: route.id }, nextPoll(route, moving), { filters: WITH_HIDDEN })
  return { synced: reports.length, created, updated }
}

const createDeposit = (unit: UnitOfWork, route: RouteRow, report: DepositReport): DepositRow =>
  createResource(unit, route.hidden ? hiddenDepositResource : depositResource, {
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
    providerReason: null,
    relayUpdatedAt: report.updatedAt,
    hidden: route.hidden,
  })

/** Reports of one poll: those that did not fit into one transaction are applied already, the rest remain. */
export interface PendingSync {
  readonly route: RouteRow
  readonly remaining: readonly DepositReport[]
  readonly applied: SyncCounts
}

/**
 * Applies all of a long poll but its last part, each part in a transaction of its own, oldest reports first: whatever a
 * failing part leaves out is newer than everything stored, so the next poll fetches it again.
 */
export async function applyInParts(
  { runtime, log }: QueryContext,
  route: RouteRow,
  reports: readonly DepositReport[],
): Promise<PendingSync> {
  const context = queryContext(runtime, system(route.organisationId, route.environment), log)
  const remaining = reports.toSorted(byTime)
  let applied: SyncCounts = { synced: 0, created: 0, updated: 0 }
  while (remaining.length > PART) {
    const part = remaining.splice(0, PART)
    applied = sum(applied, await unitOfWork(context, (unit) => applyReports(unit, route, part)))
  }
  return { route, remaining, applied }
}

const sum = (a: SyncCounts, b: SyncCounts): SyncCounts => ({
  synced: a.synced + b.synced,
  created: a.created + b.created,
  updated: a.updated + b.updated,
})

/** Applies the rest of a poll, in the caller's transaction. */
export const applyRemaining = async (
  unit: UnitOfWork,
  { route, remaining, applied }: PendingSync,
): Promise<SyncCounts> => sum(applied, await applyReports(unit, route, remaining))
