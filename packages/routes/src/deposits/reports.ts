import { newId, spelledHash } from '@payments/kernel'
import { type Draft, postWithCommit } from '@payments/ledger'
import {
  createResource,
  locked,
  moveLocked,
  NOT_APPLIED,
  recordContradiction,
  recordReport,
  settleContradictions,
  settleReadable,
  sqlOf,
  type UnitOfWork,
  unlessAnnounced,
  updateResource,
} from '@payments/platform'
import {
  DepositEntity,
  type DepositRow,
  depositResource,
  hiddenDepositResource,
  hiddenRouteResource,
  type PollRow,
  type RouteRow,
  routeResource,
} from '../entity.ts'
import { errors } from '../errors.ts'
import { journalDraft } from '../journal.ts'
import { type DepositReport, DISAGREES, type OddReport } from '../provider/provider.ts'
import { refundOfRoute, usedRefund } from '../refunds/refund-addresses.ts'
import { nextPoll, SOON_SECONDS } from '../schedule/schedule.ts'
import { effectOf, findExisting, hasEnded, learnsTransaction, type StoredDeposit, sentBack } from './existing.ts'
import { type HiddenDeposit, hiddenDeposits, toHiddenDeposit } from './hidden-deposits.ts'

/** What adapters say of an element that they cannot read. */
export const UNREADABLE = 'Not readable'
const EVENT = { completed: 'complete', failed: 'fail', refunded: 'refund' } as const

/** Reports that are applied in one transaction, so that none takes long. */
export const PART = 250

export interface SyncCounts {
  readonly synced: number
  readonly created: number
  readonly updated: number
}

export const byTime = (a: DepositReport, b: DepositReport): number =>
  a.updatedAt.getTime() - b.updatedAt.getTime() || (a.requestId < b.requestId ? -1 : 1)

export const machineOf = (route: RouteRow) => (route.hidden ? hiddenDepositResource : depositResource)

/**
 * Applies what the provider reported: each deposit once, each change once, in the caller's transaction. Reports that are late,
 * repeated or out of order change nothing; one that no path of a deposit's states reaches is kept for operators, as is an element
 * that cannot be read, and an end of which nobody can tell whether it is a deposit that is stored already.
 */
export async function applyReports(
  unit: UnitOfWork,
  route: RouteRow,
  told: readonly DepositReport[],
  odd: readonly OddReport[] = [],
): Promise<SyncCounts> {
  const reports = told.map(spelled)
  let created = 0
  let updated = 0
  const changes = new DepositChangesOf(unit, route)
  const begun = new Map<string, Date>()
  const ended: Date[] = []
  // Two polls of one route are applied one after the other: the second finds what the first created.
  const of = route.hidden ? hiddenRouteResource : routeResource
  const current = await locked(unit, of, route.id, errors.payment_route_not_found)
  const [poll, existing] = await Promise.all([
    lockedPoll(unit, route.id),
    findExisting(sqlOf(unit.em), route.environment, [route.id], reports),
  ])
  for (const report of reports.toSorted(byTime)) {
    let stored = existing.of(route.id, report)
    if (!stored && report.depositTxHash === null && !report.onlyDeposit) {
      if (hasEnded(report)) keepOdd(unit, route, withoutTransaction(report))
      continue
    }
    if (!stored) {
      const deposit = createDeposit(unit, route, report)
      begun.set(deposit.id, deposit.createdAt)
      created++
      changes.add(undefined, deposit, report)
      existing.remember(route.id, report, deposit)
      stored = deposit
    } else if (['end', 'return'].includes(effectOf(stored, report))) updated++
    if (learnsTransaction(stored, report)) {
      stored = await recordTransaction(unit, route, stored.id, report, changes)
      existing.remember(route.id, report, stored)
    }
    switch (effectOf(stored, report)) {
      case 'end': {
        const wasPending = stored.status === 'pending'
        const deposit = await endDeposit(unit, route, stored.id, report, changes)
        existing.remember(route.id, report, deposit)
        if (!begun.delete(deposit.id) && wasPending) ended.push(deposit.createdAt)
        settleContradictions(unit, { ...route, id: stored.id }, [DISAGREES])
        break
      }
      case 'return':
        existing.remember(route.id, report, await recordReturn(unit, route, stored.id, report, changes))
        break
      case 'contradicts':
        contradict(unit, route, stored, report)
    }
    if (report.contradiction) contradict(unit, route, stored, report, report.contradiction)
  }
  for (const one of odd) keepOdd(unit, route, one)
  const explained = reports.filter(({ depositTxHash }) => depositTxHash !== null)
  if (reports.length + odd.length > 0)
    settleContradictions(unit, route, [NOT_APPLIED, ...explained.map((report) => reasonOf(withoutTransaction(report)))])
  settleReadable(
    unit,
    route,
    UNREADABLE,
    reports.map(({ requestId }) => requestId),
  )
  const watchedUntil = await changes.tellOwner()
  const pendingSince = await sinceWhen(unit, route.id, poll.pending, [...begun.values()], ended)
  schedule(
    unit,
    { ...current, ...poll, ...(watchedUntil ? { watchedUntil } : {}) },
    pendingSince,
    created + updated > 0,
  )
  await changes.post()
  return { synced: reports.length, created, updated }
}

/** The changes of one unit: what they post, and what the owner of a hidden route is told. */
export class DepositChangesOf {
  readonly #unit: UnitOfWork
  readonly #route: RouteRow
  readonly #drafts: Draft[] = []
  readonly #hidden = new Map<string, HiddenDeposit>()

  constructor(unit: UnitOfWork, route: RouteRow) {
    this.#unit = unit
    this.#route = route
  }

  add(before: DepositRow | undefined, after: DepositRow, report: Partial<DepositReport>, step?: string): void {
    if (this.#route.hidden) this.#hidden.set(after.id, toHiddenDeposit(after, report))
    else {
      const draft = journalDraft(before, after, step)
      if (draft) this.#drafts.push(draft)
    }
  }

  /** Posts the entries of these deposits; of a hidden route, its owner does. */
  post(): Promise<void> {
    return postWithCommit(this.#unit, this.#drafts)
  }

  /** @returns until when the payer of a hidden route is expected, as its owner says */
  async tellOwner(): Promise<Date | undefined> {
    if (this.#hidden.size === 0) return undefined
    const owner = this.#unit.runtime.providers.get(hiddenDeposits, this.#route.environment)
    return owner.apply(this.#unit, this.#route.id, [...this.#hidden.values()])
  }
}

/** Ends a deposit as reported: what was received is what the report that ends it says. */
async function endDeposit(
  unit: UnitOfWork,
  route: RouteRow,
  id: string,
  report: DepositReport,
  changes: DepositChangesOf,
): Promise<DepositRow> {
  const refundTo = usedRefund(unit, route, report.refundAddress)
  const before = await locked(unit, machineOf(route), id, errors.deposit_not_found)
  const status = report.status as keyof typeof EVENT
  const { row } = await moveLocked(unit, machineOf(route), before, EVENT[status], {
    originChainKey: report.origin.networkKey,
    originCurrency: report.origin.currency,
    originAmount: report.originAmount,
    originAmountUsd: report.originAmountUsd,
    destinationAmount: report.destinationAmount,
    destinationAmountUsd: report.destinationAmountUsd,
    returnedAmount: sentBack(report),
    depositTxHash: before.depositTxHash ?? report.depositTxHash,
    failureReason: report.failureReason,
    providerReason: report.providerReason,
    refundAddress: refundTo.address,
    refundOwner: refundTo.owner,
    providerUpdatedAt: report.updatedAt,
  })
  changes.add(before, row, report)
  keepEvidence(unit, route, row, report)
  return row
}

/** Records the transaction of a deposit that was told without it: the deposit, the list, the receipt and an event show it, whatever its status. */
async function recordTransaction(
  unit: UnitOfWork,
  route: RouteRow,
  id: string,
  report: DepositReport,
  changes: DepositChangesOf,
): Promise<DepositRow> {
  const of = machineOf(route)
  const before = await locked(unit, of, id, errors.deposit_not_found)
  const row = await updateResource(unit, of, before, { depositTxHash: report.depositTxHash }, 'event')
  changes.add(before, row, report)
  return row
}

/** Records what was sent back of a deposit that had completed, or what its refund brought. */
async function recordReturn(
  unit: UnitOfWork,
  route: RouteRow,
  id: string,
  report: DepositReport,
  changes: DepositChangesOf,
): Promise<DepositRow> {
  const before = await locked(unit, machineOf(route), id, errors.deposit_not_found)
  const returned = { returnedAmount: sentBack(report) }
  const isRefund = before.status === 'refunded'
  // A refund shows what it brought; of a deposit that was delivered, only its owner is told.
  if (!isRefund) await unit.update(DepositEntity, before, returned)
  const row = isRefund
    ? await updateResource(unit, machineOf(route), before, returned, 'event')
    : { ...before, ...returned }
  changes.add(before, row, report, 'returned.told')
  keepEvidence(unit, route, row, report)
  return row
}

const objectOf = ({ organisationId, environment, provider }: RouteRow) => ({ organisationId, environment, provider })

function keepEvidence(unit: UnitOfWork, route: RouteRow, { id }: DepositRow, report: DepositReport): void {
  recordReport(unit, {
    ...objectOf(route),
    resourceType: 'payment_route_deposit',
    resourceId: id,
    report,
    amounts: amountsOf(route, report),
  })
}

/** A transaction has one spelling. */
const spelled = (report: DepositReport): DepositReport =>
  report.depositTxHash === null
    ? report
    : { ...report, depositTxHash: spelledHash(report.origin.networkKey, report.depositTxHash) }

const amountsOf = (route: RouteRow, report: DepositReport) => ({
  ...amountsIn(route, report),
  ...refundIn(report),
})

/** What arrived of a refund. */
function refundIn(report: DepositReport) {
  const refunded = report.status === 'refunded' ? sentBack(report) : null
  return refunded === null ? {} : { refunded: { asset: report.origin.currency, amount: refunded } }
}

const amountsIn = (route: RouteRow, { status, origin, originAmount, destinationAmount }: DepositReport) => ({
  ...(originAmount === null ? {} : { received: { asset: origin.currency, amount: originAmount } }),
  ...(status === 'completed' && destinationAmount !== null
    ? { delivered: { asset: route.destinationCurrency, amount: destinationAmount } }
    : {}),
})

function contradict(
  unit: UnitOfWork,
  route: RouteRow,
  stored: StoredDeposit,
  report: DepositReport,
  reason?: string,
): void {
  recordContradiction(unit, {
    ...objectOf(route),
    resourceType: 'payment_route_deposit',
    resourceId: stored.id,
    report: { ...report, updatedAt: null },
    amounts: amountsOf(route, report),
    reason:
      reason ??
      (stored.status === report.status
        ? `Reported as ${report.status} with other amounts`
        : `Reported as ${report.status} after it was ${stored.status}`),
  })
}

/**
 * The same money may be told under several requests, and its transaction alone shows that. So what has none is no deposit yet, and
 * operators are told of what has ended without it.
 */
const withoutTransaction = ({ requestId, status }: DepositReport): OddReport => ({
  requestId,
  reason: 'Ended without the payer’s transaction',
  report: { requestId, status },
})

const reasonOf = ({ requestId, reason }: OddReport): string =>
  `${reason}${requestId === null ? '' : `, request ${requestId}`}`

export function keepOdd(unit: UnitOfWork, route: RouteRow, odd: OddReport): void {
  recordContradiction(unit, {
    ...objectOf(route),
    resourceType: 'payment_route',
    resourceId: route.id,
    report: odd.report,
    reason: reasonOf(odd),
  })
}

/** The pending deposits of a route: since when the oldest is, and whether there are others. */
interface Pending {
  readonly since: Date | null
  readonly others: boolean
}

const PENDING = "from payment_route_deposits where payment_route_id = $1 and status = 'pending'"

/** How a locked route is polled. Its next poll is locked before what its owner locks, as where many polls are moved. */
async function lockedPoll(unit: UnitOfWork, id: string) {
  const { rows } = await sqlOf(unit.em).query<{
    seconds: number
    watched: string | null
    since: string | null
    pending: string
  }>(
    `select poll_seconds as seconds, watched_until::text as watched, since, pending
       from payment_route_polls, (select min(created_at)::text as since, count(*) as pending ${PENDING}) p where id = $1 for no key update of payment_route_polls`,
    [id],
  )
  const { seconds = SOON_SECONDS, watched = null, since = null, pending = 0 } = rows[0] ?? {}
  return {
    pollSeconds: seconds,
    watchedUntil: timeOf(watched),
    pending: { since: timeOf(since), others: Number(pending) > 1 },
  }
}

const timeOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null)

/** Since when a deposit has been pending, after some have begun and some have ended. Only when the oldest of several has ended it is read again. */
async function sinceWhen(
  unit: UnitOfWork,
  id: string,
  { since, others }: Pending,
  begun: readonly Date[],
  ended: readonly Date[],
): Promise<Date | null> {
  const isOver = since !== null && ended.some((at) => at <= since)
  if (!isOver) return since ?? begun[0] ?? null
  if (!others) return begun[0] ?? null
  const { rows } = await sqlOf(unit.em).query<{ since: string | null }>(
    `select min(created_at)::text as since ${PENDING}`,
    [id],
  )
  return timeOf(rows[0]?.since)
}

type Scheduled = RouteRow & Pick<PollRow, 'pollSeconds' | 'watchedUntil'>

/** When the route is polled next: by what is pending, and by what has just changed. What the provider announced meanwhile stays due. */
function schedule(unit: UnitOfWork, route: Scheduled, pendingSince: Date | null, changed: boolean): void {
  const next = nextPoll(route, { pendingSince, changed })
  unit.appendToCommit({
    text: `update payment_route_polls set poll_seconds = $2, watched_until = $4,
            next_poll_at = ${unlessAnnounced('next_poll_at', '$3')} where id = $1`,
    values: [route.id, next.pollSeconds, next.nextPollAt, route.watchedUntil ?? null],
  })
}

function createDeposit(unit: UnitOfWork, route: RouteRow, report: DepositReport): DepositRow {
  const refundTo = refundOfRoute(route)
  return createResource(unit, machineOf(route), {
    id: newId(),
    organisationId: route.organisationId,
    environment: route.environment,
    provider: route.provider,
    paymentRouteId: route.id,
    routeName: route.name,
    customerId: route.customerId ?? null,
    providerRequestId: report.requestId,
    originChainKey: report.origin.networkKey,
    originCurrency: report.origin.currency,
    originAmount: report.originAmount,
    originAmountUsd: report.originAmountUsd,
    destinationChainKey: route.destinationChainKey,
    destinationCurrency: route.destinationCurrency,
    destinationAddress: route.destinationAddress,
    destinationAmount: null,
    destinationAmountUsd: null,
    returnedAmount: null,
    depositTxHash: report.depositTxHash,
    failureReason: null,
    providerReason: hasEnded(report) ? null : report.providerReason,
    refundAddress: refundTo.address,
    refundOwner: refundTo.owner,
    settledAt: null,
    settlements: 0,
    providerUpdatedAt: report.updatedAt,
    hidden: route.hidden,
  })
}

export const sum = (a: SyncCounts, b: SyncCounts): SyncCounts => ({
  synced: a.synced + b.synced,
  created: a.created + b.created,
  updated: a.updated + b.updated,
})
