import { type Environment, system } from '@payments/kernel'
import { queryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork, withSameCredentials } from '@payments/platform'
import type { Failure } from '../../failure-reasons.ts'
import type { Kind } from '../../kinds/kinds.ts'
import { type Books, books, most, treasuryBalance } from '../../money/treasury.ts'
import { credentialsNow, treasuryProvider } from '../../provider/holder.ts'
import { type Movements, referencesOf } from '../../provider/provider.ts'
import { begun, fail, lockedTransfer, update } from '../../resources/transfers.ts'
import { arrivedElsewhere } from '../receipts/credentials.ts'
import { unbookedIn } from '../receipts/unassigned.ts'
import {
  CALL_SECONDS,
  type Decision,
  decide,
  type OrderInDoubt,
  type Stranger,
  type TreasuryEvidence,
} from './evidence.ts'
import { endSend, noteAbsent, resolve } from './found.ts'
import { dropQueued, sentElsewhere } from './holds.ts'
import { loseUnanswered, sendAgain } from './table.ts'

// Orders whose call failed: what `evidence.ts` decides of them by a list is read here, and done.

interface Unresolved extends OrderInDoubt {
  readonly kind: Kind
  readonly organisationId: string
  /** When its last attempt began, as the database writes it. */
  readonly claim: string
}

/** What was known before a list was read: the treasury first, so that no later money hides what left it. */
export interface Before {
  readonly books: Books
  readonly balance: bigint
}

/** A list, and when it was read. */
export type ReadList = Movements & { readonly began: Date; readonly readAt: Date; readonly before: Before | null }

/** Reads the treasury before the list, if a list may be the last that an order needs. */
export async function treasuryBefore(
  runtime: Runtime,
  environment: Environment,
  account: string,
): Promise<Before | null> {
  const { knowsOrders, certainAfterSeconds } = treasuryProvider(runtime, environment)
  if (knowsOrders) return null
  const { rows } = await runtime.pool.query(
    `select 1 from cngn_sends where environment = $1 and account = $2 and status = 'unresolved' and absent_since is not null
        and sent_at < now() - make_interval(secs => $3) limit 1`,
    [environment, account, certainAfterSeconds],
  )
  if (rows.length === 0) return null
  const before = await books(runtime, environment)
  return { books: before, balance: await treasuryBalance(runtime, environment) }
}

type Time = Date | string
const timeOf = (value: Time | null): Date | null => (value === null ? null : new Date(value))

/** The orders without a reference that the list of now may show: other credentials are another account's, until an operator knows better. */
async function unresolved(runtime: Runtime, environment: Environment, account: string): Promise<Unresolved[]> {
  const { rows } = await runtime.pool.query<{
    id: string
    status: 'claimed' | 'unresolved'
    kind: Kind
    organisation_id: string
    fingerprint: string
    first_sent_at: Time
    claim: string
    sent_until: Time
    failed_at: Time | null
    refusal: string | null
    equals_in_doubt: number
    absent_since: Time | null
    surplus: string
    attempts: number
    amount: string
    waits: boolean
  }>(
    `select s.id, s.status, s.kind, s.organisation_id, s.fingerprint, least(s.first_sent_at, s.sent_at) as first_sent_at,
            s.sent_at::text as claim, s.failed_at, s.refusal, s.absent_since, s.surplus::text, s.attempts, t.amount::text,
            t.approval_status is not distinct from 'waiting' as waits,
            greatest(s.sent_at, s.maybe_sent_until) as sent_until,
            case when s.maybe_sent_until is null then 0 else
              (select count(*)::int from cngn_sends o where o.environment = s.environment and o.fingerprint = s.fingerprint and o.id <> s.id
                  and o.status = 'queued' and o.maybe_sent_until is not null) end as equals_in_doubt
       from cngn_sends s join cngn_transfers t on t.id = s.id
      where s.environment = $1 and s.account = $2 and s.status in ('claimed', 'unresolved') and ${withSameCredentials('$3', 's.credentials')}
      order by s.sent_at limit 1000`,
    [environment, account, credentialsNow(runtime, environment)],
  )
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    kind: row.kind,
    organisationId: row.organisation_id,
    amount: BigInt(row.amount),
    channel: row.kind === 'payout' ? 'payout' : 'withdrawal',
    target: row.fingerprint.split('/').at(-1) ?? '',
    firstSentAt: new Date(row.first_sent_at),
    sentUntil: new Date(row.sent_until),
    claim: row.claim,
    failedAt: timeOf(row.failed_at),
    refusal: row.refusal,
    equalsInDoubt: row.equals_in_doubt,
    absentSince: timeOf(row.absent_since),
    surplus: BigInt(row.surplus),
    attempts: row.attempts,
    waits: row.waits,
  }))
}

/**
 * Does with the orders whose call failed what the list says: it finds their references, has operators look at them, or has them sent
 * again. What the list shows of money that arrived has been applied before. Returns whether anything changed.
 */
export async function resolveOrders(
  runtime: Runtime,
  environment: Environment,
  account: string,
  list: ReadList,
): Promise<boolean> {
  const { knowsOrders = false, certainAfterSeconds, listsApartSeconds = 0 } = treasuryProvider(runtime, environment)
  await loseUnanswered(runtime, environment, account, CALL_SECONDS)
  const strangers = knowsOrders ? [] : await withoutOrder(runtime, environment, account, list)
  const orders = await unresolved(runtime, environment, account)
  if (orders.length === 0) return false
  const incoming = await unbookedIn(runtime, environment, account, list.movements)
  const decisions = decide(
    orders,
    {
      began: list.began,
      complete: list.complete,
      readable: (list.unreadable ?? []).length === 0 && !incoming.unknown,
      strangers,
      references: new Set(list.movements.flatMap(referencesOf)),
      known: knowsOrders ? [] : await knownMovements(runtime, environment, account, orders),
      movedElsewhereAt: await movedElsewhere(runtime, environment, account, orders),
      treasury: list.before && (await treasuryOf(runtime, environment, list.before, incoming.listed)),
    },
    { knowsOrders, certainAfterSeconds, listsApartSeconds },
  )
  let changed = false
  for (const order of orders) {
    const decision = decisions.get(order.id)
    if (!decision || decision.do === 'nothing') continue
    const context = queryContext(runtime, system(order.organisationId, environment))
    changed = (await unitOfWork(context, (unit) => carryOut(unit, order, decision, list.began))) || changed
  }
  return changed
}

/** Does what was decided, if the order is still what it was decided for. Returns whether anything changed that others see. */
async function carryOut(unit: UnitOfWork, order: Unresolved, decision: Decision, began: Date): Promise<boolean> {
  const row = await lockedTransfer(unit, order.kind, order.id)
  // It was sent again, answered, or settled meanwhile.
  if (!(await isStill(unit, order))) return false
  const unmarked = row.attention === 'outcome_unknown' ? { attention: null } : {}
  switch (decision.do) {
    case 'find':
      if (await resolve(unit, order.id, decision.reference, true))
        await update(unit, await begun(unit, row), { providerReference: decision.reference, ...unmarked })
      return true
    case 'wait':
      if (decision.seen) await noteAbsent(unit, order.id, null)
      if (decision.tell && !row.attention && ['pending', 'processing'].includes(row.status))
        await update(unit, row, { attention: 'outcome_unknown', providerOutcome: 'unknown' })
      return false
    case 'note_absent':
      await noteAbsent(unit, order.id, began)
      return false
    case 'send_again':
      if (!(await sendAgain(unit, order.id))) return false
      if (row.approvalStatus === 'waiting') {
        await dropQueued(unit, order.id)
        await update(unit, row, { providerOutcome: null, ...unmarked })
        return true
      }
      if (row.attention === 'outcome_unknown') await update(unit, row, unmarked)
      unit.log.warn({ transfer: order.id }, 'order was not sent and is sent again')
      return true
    case 'refused':
      await fail(unit, row, order.refusal as Failure)
      await endSend(unit, order.id)
      return true
    case 'nothing':
      return false
  }
}

async function isStill(unit: UnitOfWork, { id, status, claim }: Unresolved): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query(
    'select 1 from cngn_sends where id = $1 and status = $2 and sent_at = $3::timestamptz for update',
    [id, status, claim],
  )
  return rows.length > 0
}

async function treasuryOf(
  runtime: Runtime,
  environment: Environment,
  before: Before,
  listed: bigint,
): Promise<TreasuryEvidence> {
  const after = await books(runtime, environment)
  return {
    balance: before.balance,
    journal: most(after.journal, before.books.journal),
    unbooked: after.arriving + listed,
    leaving: before.books.leaving,
  }
}

/** The movements out of the list that no order has, by any of their references, and when a list showed each first. */
async function withoutOrder(
  { pool }: Runtime,
  environment: Environment,
  account: string,
  { movements, readAt }: ReadList,
): Promise<Stranger[]> {
  const out = movements.filter(({ channel }) => !channel.endsWith('_in'))
  if (out.length === 0) return []
  const { rows } = await pool.query<{ reference: string }>(
    'select reference from cngn_sends where environment = $1 and account = $2 and reference = any ($3)',
    [environment, account, out.flatMap(referencesOf)],
  )
  const known = new Set(rows.map(({ reference }) => reference))
  const strangers = out.filter((tx) => !referencesOf(tx).some((reference) => known.has(reference)))
  if (strangers.length === 0) return []
  const { rows: first } = await pool.query<{ reference: string; listed_at: Time }>(
    `insert into cngn_listed as l (environment, account, reference, listed_at)
     select $1, $2, reference, $4 from unnest($3::text[]) as reference
     on conflict (environment, account, reference) do update set listed_at = l.listed_at returning reference, listed_at`,
    [environment, account, [...new Set(strangers.flatMap(referencesOf))], readAt],
  )
  const times = new Map(first.map((row) => [row.reference, new Date(row.listed_at)]))
  return strangers.map((movement) => ({ movement, listedAt: earliest(referencesOf(movement), times) }))
}

function earliest(references: readonly string[], times: ReadonlyMap<string, Date>): Date | undefined {
  const known = references.flatMap((reference) => times.get(reference) ?? [])
  return known.length === 0 ? undefined : new Date(Math.min(...known.map((time) => time.getTime())))
}

const oldestOf = (orders: readonly OrderInDoubt[]): Date =>
  new Date(Math.min(...orders.map(({ firstSentAt }) => firstSentAt.getTime())))

/** When money moved last that the journal has and the account of now has not, since the oldest order. */
async function movedElsewhere(
  runtime: Runtime,
  environment: Environment,
  account: string,
  orders: readonly OrderInDoubt[],
): Promise<Date | null> {
  const values = [environment, account, credentialsNow(runtime, environment), oldestOf(orders)] as const
  const times = [await sentElsewhere(runtime, values), await arrivedElsewhere(runtime, values)].filter(
    (at) => at !== null,
  )
  return times.length === 0 ? null : new Date(Math.max(...times.map((at) => at.getTime())))
}

/** The movements that are known from ten minutes before the oldest order on, and the last one before it. */
async function knownMovements(
  runtime: Runtime,
  environment: Environment,
  account: string,
  orders: readonly OrderInDoubt[],
): Promise<{ reference: string; at: Date }[]> {
  const { rows } = await runtime.pool.query<{ reference: string; at: Time }>(
    `with known as (
       select reference, sent_at as at from cngn_sends where environment = $1 and account = $2 and reference is not null and ${withSameCredentials('$4')}
       union all
       select reference, received_at from cngn_receipts where environment = $1 and account = $2 and ${withSameCredentials('$4')})
     (select reference, at from known where at >= $3::timestamptz - interval '10 minutes')
     union (select reference, at from known where at <= $3::timestamptz order by at desc limit 1) order by at`,
    [environment, account, oldestOf(orders), credentialsNow(runtime, environment)],
  )
  return rows.map(({ reference, at }) => ({ reference, at: new Date(at) }))
}

/** SQL: the time of the last movement that is known before the oldest order without an answer (`$1` environment, `$2` account, `$3` credentials of now). */
export const LAST_KNOWN = `(select max(at) from (
    (select sent_at as at from cngn_sends where environment = $1 and account = $2 and reference is not null and sent_at <= oldest.at and ${withSameCredentials('$3')}
      order by sent_at desc limit 1)
    union all
    (select received_at from cngn_receipts where environment = $1 and account = $2 and received_at <= oldest.at and ${withSameCredentials('$3')}
      order by received_at desc limit 1)) known)`
