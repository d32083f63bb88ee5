import { type Environment, errorCode, ServiceError, system } from '@payments/kernel'
import {
  aboutObject,
  constraintOf,
  dueInTurns,
  type QueryContext,
  queryContext,
  type Runtime,
  sqlOf,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import { holdBack } from '../customers/rules.ts'
import { SendEntity, type TransferRow } from '../entity.ts'
import { treasuryProvider } from '../money/holder.ts'
import type { Order, ProviderTransaction, SendResult } from '../provider/provider.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { errors } from '../states/errors.ts'
import type { Kind } from '../transfers/kinds.ts'
import { fail, lockedTransfer, process, update } from '../transfers/transfers.ts'
import { ROUNDED } from './contradictions.ts'
import { FEED_SOON, pollFeedSoon, SEND } from './schedule.ts'

/** A claim that a process did not come back to is due again after this. */
const LOST_SECONDS = 30
/** An order that waits because an equal one is not known yet is tried again after this. */
const EQUAL_SECONDS = 1
/** A process that was stopped for longer than this after its claim does not send any more. */
const STALE_MS = 15_000
const FIRST_DELIVERY_SECONDS = 2
/** A treasury that is short is looked at again after this. */
const SHORT_SECONDS = 30

export interface ClaimedSend {
  readonly id: string
  readonly kind: Kind
  readonly organisationId: string
  readonly environment: Environment
}

/** One spelling of a destination. */
export const destinationKey = (text: string): string => (text.startsWith('0x') ? text.toLowerCase() : text)

/** What the provider's list shows of an order. Two unresolved orders never have the same one. */
const fingerprintOf = (
  account: string,
  channel: 'payout' | 'withdrawal',
  amount: bigint,
  destination: string,
): string => [account, channel, amount, destinationKey(destination)].join('/')

/** The order of an object. A convert sends cNGN to the address that converts it. */
function orderOf(row: TransferRow, account: string): Order {
  return {
    id: row.id,
    account,
    amount: row.amount ?? 0n,
    destination:
      row.kind === 'payout'
        ? { type: 'bank', bankCode: row.bankCode ?? '', accountNumber: row.accountNumber ?? '' }
        : row.kind === 'convert'
          ? { type: 'wallet', networkKey: row.receiveNetworkKey ?? '', address: row.receiveAt ?? '' }
          : { type: 'wallet', networkKey: row.networkKey ?? '', address: row.address ?? '' },
  }
}

/** Queues the order of a new object, with the commit that creates and reserves it. */
export function queueSend(unit: UnitOfWork, row: TransferRow): void {
  const provider = treasuryProvider(unit.runtime, row.environment)
  const account = provider.account(row.organisationId)
  const { destination, amount } = orderOf(row, account)
  unit.insert(SendEntity, {
    id: row.id,
    organisationId: row.organisationId,
    environment: row.environment,
    kind: row.kind,
    account,
    fingerprint:
      destination.type === 'bank'
        ? fingerprintOf(account, 'payout', amount, destination.accountNumber)
        : fingerprintOf(account, 'withdrawal', amount, destination.address),
    attempts: 0,
    sentAt: null,
    nextSendAt: row.createdAt,
    reference: null,
    matched: false,
    absentSince: null,
    surplus: 0n,
    nextCheckAt: null,
    checkSeconds: 0,
    ended: false,
    nextDeliveryAt: null,
    deliverySeconds: FIRST_DELIVERY_SECONDS,
    error: null,
    maybeSentFrom: null,
    maybeSentUntil: null,
    createdAt: row.createdAt,
  })
  unit.afterCommit(() => unit.runtime.trigger(SEND))
}

/** Takes orders that wait, one of each organisation in turn, and postpones them, so that no other process takes them. */
export async function claimSends(runtime: Runtime, environment: Environment, limit: number): Promise<ClaimedSend[]> {
  const { rows } = await runtime.pool.query<{ id: string; kind: Kind; organisation_id: string }>(
    `with due as (${dueInTurns({ table: 'cngn_sends', at: 'next_send_at', where: 'environment = $1 and sent_at is null and not ended', limit: '$2' })})
     update cngn_sends s set next_send_at = now() + make_interval(secs => $3)
      where s.id = any (array(select id from due)) and sent_at is null and not ended and next_send_at <= now()
      returning s.id, kind, organisation_id`,
    [environment, limit, LOST_SECONDS],
  )
  return rows.map((row) => ({ id: row.id, kind: row.kind, organisationId: row.organisation_id, environment }))
}

/**
 * Sends one order. It is claimed in the database before the call, so a process that dies leaves an order of which nothing is known
 * but its fingerprint; `feed.ts` finds it in the provider's list, or finds that it was not sent. While it is unresolved, no equal
 * order is sent, so that a movement in the list never fits two.
 */
export async function send(runtime: Runtime, claimed: ClaimedSend): Promise<void> {
  const context = queryContext(runtime, system(claimed.organisationId, claimed.environment))
  const began = Date.now()
  const row = await claimOrder(context, claimed)
  if (!row) return
  const provider = treasuryProvider(runtime, claimed.environment)
  const account = provider.account(claimed.organisationId)
  let result: SendResult
  try {
    if (Date.now() - began > STALE_MS) result = { status: 'not_sent', retryAfter: EQUAL_SECONDS }
    else
      result = await aboutObject(claimed, () =>
        provider.send(orderOf(row, account), budgetOf(context, claimed.environment, 'send')),
      )
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === errors.cngn_provider_busy.code)) {
      await unitOfWork(context, (unit) => noteUnknown(unit, claimed, error))
      await pollFeedSoon(runtime, claimed.environment, account)
      return
    }
    result = { status: 'not_sent', retryAfter: error.retryAfter ?? EQUAL_SECONDS }
  }
  await unitOfWork(context, (unit) => applyResult(unit, claimed, result))
  await pollFeedSoon(runtime, claimed.environment, account)
}

/** SQL: orders that look like the order `s`, and of which nobody knows whether they were sent. */
const EQUAL_UNRESOLVED = `select from cngn_sends o where o.environment = s.environment and o.fingerprint = s.fingerprint and o.id <> s.id
    and (o.sent_at is not null or o.maybe_sent_until is not null) and o.reference is null and not o.ended`

/** SQL: money that left without an order in the time that a restored database has forgotten, and looks like the order `s`. */
const looksLike = (amount: string): string => `
  select f.environment, f.account, f.reference from cngn_forgotten f
   where f.environment = s.environment and f.account = s.account and f.order_id is null
     and s.fingerprint like s.account || '/' || f.channel || '/%'
     and (f.amount is null or f.amount = ${amount} or (f.amount % ${ROUNDED} = 0 and abs(f.amount - ${amount}) < ${ROUNDED}))
     and (f.targets = '{}' or split_part(s.fingerprint, '/', -1) = any (f.targets))
     and not exists (select from cngn_sends o where o.environment = f.environment and o.account = f.account and o.reference = f.reference)`

/**
 * Marks an order as sent before it is, and moves its object on. Null: it must wait, may have been sent already, or has ended. Each statement sees what
 * was committed before it, so the one that claims checks by itself whatever makes an order wait: an equal one may have been found since.
 */
async function claimOrder(context: QueryContext, { id, kind }: ClaimedSend): Promise<TransferRow | null> {
  try {
    return await unitOfWork(context, async (unit) => {
      const row = await lockedTransfer(unit, kind, id)
      if ((await takeAsUnresolved(unit, row)) || (await holdForgotten(unit, row))) return null
      if (await holdBack(unit, row.amount ?? 0n)) {
        await postpone(unit, id, SHORT_SECONDS, errors.cngn_float_short.code)
        return null
      }
      const { rows } = await sqlOf(unit.em).query(
        `update cngn_sends s set sent_at = clock_timestamp(), attempts = attempts + 1, error = null, absent_since = null,
                surplus = coalesce((select difference from cngn_treasuries where environment = s.environment and difference > 0
                                     and differs_since < now() - interval '5 minutes'), 0)
          where id = $1 and sent_at is null and reference is null and not ended
            and maybe_sent_until is null and not exists (${EQUAL_UNRESOLVED}) and not exists (${looksLike('$2')})
          returning id`,
        [id, row.amount],
      )
      if (rows.length === 0) {
        await postpone(unit, id, EQUAL_SECONDS)
        return null
      }
      return row.status === 'pending' ? process(unit, row) : row
    })
  } catch (error) {
    // Another process claimed an equal order at the same moment.
    if (constraintOf(error) !== 'cngn_sends_unresolved_key') throw error
    await unitOfWork(context, (unit) => postpone(unit, id, EQUAL_SECONDS))
    return null
  }
}

/**
 * An order that a process may have sent which a restored database has forgotten is one without an answer: the lists find it, or find
 * that it was not sent. Equal ones one after the other, so that a movement never fits two, and the oldest first: what left before an
 * order existed is one of an older order, and while no order has it, the treasury has fallen by more than the orders explain.
 */
async function takeAsUnresolved(unit: UnitOfWork, row: TransferRow): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query<{ account: string }>(
    `update cngn_sends s set sent_at = greatest(maybe_sent_from, created_at), error = null, absent_since = null, surplus = 0
      where id = $1 and sent_at is null and reference is null and not ended and maybe_sent_until is not null
        and not exists (select from cngn_sends o where o.environment = s.environment and o.fingerprint = s.fingerprint
                          and o.reference is null and not o.ended
                          and (o.sent_at is not null or (o.maybe_sent_until is not null and (o.created_at, o.id) < (s.created_at, s.id))))
      returning account`,
    [row.id],
  )
  if (!rows[0]) return false
  const started = row.status === 'pending' ? await process(unit, row) : row
  await update(unit, started, { providerOutcome: 'unknown' })
  await sqlOf(unit.em).query(FEED_SOON, [row.environment, rows[0].account, 0])
  return true
}

/**
 * An order that looks like money which left without an order, in the time that a restored database has forgotten, may be the request
 * that was forgotten, made again. It is not sent: an operator knows which of the two it is.
 */
async function holdForgotten(unit: UnitOfWork, row: TransferRow): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query(
    `with same as (
       select f.* from cngn_sends s cross join lateral (${looksLike('$2')} order by f.at, f.reference limit 1 for update of f) f
        where s.id = $1 and s.sent_at is null and s.reference is null and not s.ended and not exists (${EQUAL_UNRESOLVED})),
     held as (update cngn_forgotten f set order_id = $1 from same
               where (f.environment, f.account, f.reference) = (same.environment, same.account, same.reference) returning 1)
     update cngn_sends set sent_at = clock_timestamp(), error = 'cngn_maybe_sent' where id = $1 and exists (select from held) returning id`,
    [row.id, row.amount],
  )
  if (rows.length === 0) return false
  const started = row.status === 'pending' ? await process(unit, row) : row
  await update(unit, started, { providerOutcome: 'unknown', attention: 'outcome_unknown' })
  return true
}

const postpone = (unit: UnitOfWork, id: string, seconds: number, error: string | null = null) =>
  sqlOf(unit.em).query(
    'update cngn_sends set next_send_at = now() + make_interval(secs => $2), error = coalesce($3, error) where id = $1',
    [id, seconds, error],
  )

/** The answer of the provider to an order that was sent. */
async function applyResult(unit: UnitOfWork, { id, kind }: ClaimedSend, result: SendResult): Promise<void> {
  const row = await lockedTransfer(unit, kind, id)
  switch (result.status) {
    case 'accepted':
      if (await resolve(unit, id, result.reference))
        await update(unit, row, {
          providerReference: result.reference,
          providerOutcome: null,
          ...(row.attention === 'outcome_unknown' ? { attention: null } : {}),
        })
      // An operator ended it meanwhile: what the provider lists of it is compared with that. Or a list showed it before the
      // answer came, which confirms what was found.
      else
        await sqlOf(unit.em).query(
          `update cngn_sends set reference = $2, matched = false, next_check_at = coalesce(next_check_at, now())
            where id = $1 and ((reference is null and ended and not ${HELD}) or (reference = $2 and matched))`,
          [id, result.reference],
        )
      return
    case 'rejected':
      await fail(unit, row, result.reason)
      await endSend(unit, id)
      return
    case 'not_sent':
      await sqlOf(unit.em).query(
        `update cngn_sends set sent_at = null, absent_since = null, next_send_at = now() + make_interval(secs => $2), error = $3
          where id = $1 and reference is null and not ended`,
        [id, result.retryAfter, result.because ?? null],
      )
  }
}

/** SQL: another order has the reference `$2`. */
const HELD = `exists (select from cngn_sends other
  where other.environment = cngn_sends.environment and other.account = cngn_sends.account and other.reference = $2 and other.id <> $1)`

/**
 * The provider's reference of an order becomes known; false when it was already, or when another order keeps it. `matched`: the order
 * was found by what it looks like. Equal orders need not wait any more.
 *
 * An equal order keeps what it was found by: it was sent first, and one movement pays one of the two, whichever. The other stays unresolved,
 * and is sent again once the lists show no second movement.
 */
export async function resolve(unit: UnitOfWork, id: string, reference: string, matched = false): Promise<boolean> {
  // What the provider says itself is better than what another order was found by.
  if (!matched)
    await sqlOf(unit.em).query(
      `update cngn_sends o set reference = null, matched = false, absent_since = null, next_check_at = null from cngn_sends s
        where s.id = $1 and o.environment = s.environment and o.account = s.account and o.reference = $2 and o.id <> s.id
          and o.fingerprint is distinct from s.fingerprint and o.matched and not o.ended`,
      [id, reference],
    )
  const { rows } = await sqlOf(unit.em).query(
    `update cngn_sends set reference = $2, matched = $3, sent_at = coalesce(sent_at, clock_timestamp()), absent_since = null, error = null,
            next_check_at = now(), check_seconds = 0
      where id = $1 and reference is null and not ended and not ${HELD} returning id`,
    [id, reference, matched],
  )
  if (rows.length > 0) await freeEqual(unit, id)
  return rows.length > 0
}

/**
 * The movement that was found for an order by what it looks like has failed. It may be another attempt, so the order is unresolved
 * again: it is sent again only if no list shows it and the treasury has its money.
 */
export async function release(unit: UnitOfWork, row: TransferRow, tx: ProviderTransaction): Promise<TransferRow> {
  const db = sqlOf(unit.em)
  const { rows } = await db.query<{ environment: string; account: string }>(
    `update cngn_sends s set reference = null, matched = false, absent_since = null, next_check_at = null
      where id = $1 and reference = $2 and not ended
        and not exists (select from cngn_sends o where o.environment = s.environment and o.fingerprint = s.fingerprint and o.id <> s.id
                          and o.sent_at is not null and o.reference is null and not o.ended)
      returning environment, account`,
    [row.id, tx.reference],
  )
  const [send] = rows
  if (!send) return row.attention ? row : update(unit, row, { attention: 'outcome_unknown' })
  await db.query(
    'insert into cngn_listed (environment, account, reference, listed_at) values ($1, $2, $3, now()) on conflict do nothing',
    [send.environment, send.account, tx.reference],
  )
  return update(unit, row, { providerReference: null, providerOutcome: 'unknown' })
}

/** Nothing more happens to an order. `watch`: it failed; for a while it is asked whether it was paid after all. */
export async function endSend(unit: UnitOfWork, id: string, { watch = false } = {}): Promise<void> {
  await sqlOf(unit.em).query(
    `update cngn_sends set ended = true, next_delivery_at = null,
            next_check_at = case when $2 and reference is not null then now() end where id = $1`,
    [id, watch],
  )
  await freeEqual(unit, id)
}

/** The equal order that waits longest is sent next, at a cost that does not grow with the number of those that wait. */
async function freeEqual(unit: UnitOfWork, id: string): Promise<void> {
  await sqlOf(unit.em).query(
    `with equal as materialized (
       select w.id from cngn_sends s join cngn_sends w on w.environment = s.environment and w.fingerprint = s.fingerprint
        where s.id = $1 and w.sent_at is null and w.reference is null and not w.ended
        order by w.next_send_at limit 1 for update of w skip locked)
     update cngn_sends o set next_send_at = least(o.next_send_at, now()) from equal where o.id = equal.id`,
    [id],
  )
  unit.afterCommit(() => unit.runtime.trigger(SEND))
}

/** The provider did not answer: nobody knows whether the order was sent, until its list shows it or does not. */
async function noteUnknown(unit: UnitOfWork, { id, kind }: ClaimedSend, error: unknown): Promise<void> {
  const row = await lockedTransfer(unit, kind, id)
  const { rows } = await sqlOf(unit.em).query(
    'update cngn_sends set error = $2 where id = $1 and reference is null and not ended returning id',
    [id, errorCode(error)],
  )
  if (rows.length > 0 && row.status === 'processing') await update(unit, row, { providerOutcome: 'unknown' })
  if (!(error instanceof ServiceError)) unit.log.warn({ err: error, transfer: id }, 'order failed without an answer')
}
