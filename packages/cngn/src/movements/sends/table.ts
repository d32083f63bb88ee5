import type { Environment } from '@payments/kernel'
import {
  dueInTurns,
  logStatusChange,
  type Runtime,
  sqlOf,
  type UnitOfWork,
  withSameCredentials,
} from '@payments/platform'
import { SendEntity } from '../../entity.ts'
import type { Kind } from '../../kinds/kinds.ts'
import { LOST_SECONDS, nextCheck, SEND } from '../../provider/schedule.ts'
import { sendMachine } from '../../states.ts'
import { EQUAL_IN_DOUBT, looksLike } from './equal.ts'
import { CALL_SECONDS } from './evidence.ts'

// With `holds.ts` and `found.ts`, the only writer of `cngn_sends`: each function is one event of `sendMachine`, or changes when something is due.

type Event = (typeof sendMachine.events)[number]
type Status = keyof typeof sendMachine.states

const statuses = Object.keys(sendMachine.states) as Status[]
export const quoted = (states: readonly Status[]) => states.map((state) => `'${state}'`).join(', ')

/** SQL: the states in which an event happens. */
const before = (event: Event): string => quoted(statuses.filter((state) => sendMachine.step(state, event)))

/** The state that an event leads to: the same from each state. */
function after(event: Event): Status {
  const [to, ...others] = new Set(statuses.flatMap((state) => sendMachine.step(state, event) ?? []))
  if (!to || others.length > 0) throw new Error(`${event} does not lead to one state`)
  return to
}

/** The table, as the log names it. */
const SENDS = 'cngn_sends'

/** SQL: the orders of `cngn_sends` that a condition names, locked, with the status that each had. */
export const wasIn = (condition: string): string =>
  `(select id as was_id, status as was from cngn_sends where ${condition} for no key update)`

/** What an order whose status was written was: see {@link wasIn}. */
export interface WrittenSend {
  readonly id: string
  readonly was: Status
  readonly organisation_id: string
  readonly environment: Environment
  readonly account: string
}

/** SQL: what `wasIn` and the row say, for {@link logMoves}. */
export const WRITTEN = 's.id, was, organisation_id, environment, account'

/** Each change of a status is a line of the log. An order that was in the state before has none. */
export function logMoves(
  unit: Parameters<typeof logStatusChange>[0],
  event: Event,
  rows: readonly WrittenSend[],
): void {
  const to = after(event)
  for (const { id, was: from, organisation_id: organisationId, environment } of rows)
    if (from !== to) logStatusChange(unit, { object: SENDS, id, organisationId, environment, from, to, cause: event })
}

/**
 * Applies an event to the order `$1`, where it is possible and the condition holds. `set` may use `$2` and so on.
 * @returns the columns of the order that changed; undefined when none did
 */
export async function move(
  unit: UnitOfWork,
  event: Event,
  id: string,
  { set, where = 'true', values = [] }: { set: string; where?: string; values?: readonly unknown[] },
): Promise<WrittenSend | undefined> {
  const { rows } = await sqlOf(unit.em).query<WrittenSend>(
    `update cngn_sends s set status = '${after(event)}', ${set} from ${wasIn('id = $1')} previous
      where id = was_id and status in (${before(event)}) and (${where}) returning ${WRITTEN}`,
    [id, ...values],
  )
  logMoves(unit, event, rows)
  return rows[0]
}

/** The order of a new object, with the commit that creates and reserves it. */
export function insertSend(
  unit: UnitOfWork,
  row: Readonly<Record<'id' | 'organisationId' | 'account' | 'fingerprint', string>> & {
    readonly environment: Environment
    readonly kind: Kind
    readonly createdAt: Date
  },
): void {
  unit.insert(SendEntity, {
    ...row,
    status: sendMachine.initial,
    attempts: 0,
    sentAt: null,
    firstSentAt: null,
    failedAt: null,
    refusal: null,
    releasedAt: null,
    nextSendAt: row.createdAt,
    reference: null,
    matched: false,
    absentSince: null,
    surplus: 0n,
    nextCheckAt: null,
    checkSeconds: 0,
    nextDeliveryAt: null,
    deliverySeconds: 2,
    error: null,
    maybeSentFrom: null,
    maybeSentUntil: null,
    credentials: null,
  })
  const { id, organisationId, environment } = row
  const to = sendMachine.initial
  logStatusChange(unit, { object: SENDS, id, organisationId, environment, from: null, to, cause: 'create' })
  unit.afterCommit(() => unit.runtime.trigger(SEND))
}

export interface ClaimedSend {
  readonly id: string
  readonly kind: Kind
  readonly organisationId: string
  readonly environment: Environment
}

/** Takes orders that wait, one of each organisation in turn, and postpones them, so that no other process takes them. */
export async function claimSends(runtime: Runtime, environment: Environment, limit: number): Promise<ClaimedSend[]> {
  const { rows } = await runtime.pool.query<{ id: string; kind: Kind; organisation_id: string }>(
    `with due as (${dueInTurns({ table: 'cngn_sends', at: 'next_send_at', where: "environment = $1 and status = 'queued'", limit: '$2' })})
     update cngn_sends s set next_send_at = now() + make_interval(secs => $3)
      where s.id = any (array(select id from due)) and status = 'queued' and next_send_at <= now()
      returning s.id, kind, organisation_id`,
    [environment, limit, LOST_SECONDS],
  )
  return rows.map((row) => ({ id: row.id, kind: row.kind, organisationId: row.organisation_id, environment }))
}

/** An order that waits is tried again after so many seconds. */
export const postpone = (unit: UnitOfWork, id: string, seconds: number, error: string | null = null) =>
  sqlOf(unit.em).query(
    "update cngn_sends set next_send_at = now() + make_interval(secs => $2), error = coalesce($3, error) where id = $1 and status = 'queued'",
    [id, seconds, error],
  )

/**
 * The provider is called next. False: it must wait, may have been sent already, or has ended. Each statement sees what was committed
 * before it, so this one checks by itself whatever makes an order wait: an equal one may have been found since. An order that was sent before
 * is sent again with the same credentials only.
 */
export const claim = async (
  unit: UnitOfWork,
  id: string,
  amount: bigint | null,
  credentials: string | null,
): Promise<boolean> =>
  Boolean(
    await move(unit, 'claim', id, {
      set: `sent_at = clock_timestamp(), first_sent_at = coalesce(first_sent_at, clock_timestamp()), attempts = attempts + 1,
            error = null, absent_since = null, failed_at = null, refusal = null, credentials = coalesce(credentials, $3),
            surplus = coalesce((select difference from cngn_treasuries where environment = s.environment and difference > 0
                                 and differs_since < now() - interval '5 minutes'), 0)`,
      where: `maybe_sent_until is null and ${withSameCredentials('$3')} and not exists (${EQUAL_IN_DOUBT}) and not exists (${looksLike('$2')})`,
      values: [amount, credentials],
    }),
  )

/** No call was made, or the provider recognises its orders: it waits again. */
export const notCalled = (unit: UnitOfWork, id: string, seconds: number, because: string | null) =>
  move(unit, 'requeue', id, {
    set: 'sent_at = null, absent_since = null, next_send_at = now() + make_interval(secs => $2), error = $3',
    where: "status = 'claimed'",
    values: [seconds, because],
  })

/** The call failed: whether it was sent is unknown. */
export const lose = (unit: UnitOfWork, id: string, error: string) =>
  move(unit, 'lose', id, {
    set: 'failed_at = clock_timestamp(), refusal = null, error = $2',
    values: [error],
  })

/**
 * The provider says that it initiated nothing (`not_initiated`: it may be asked again after so many seconds) or refuses the order
 * (`refusal`: why the object fails). That is believed once its list shows nothing else.
 */
export const refuse = (unit: UnitOfWork, id: string, refusal: string, seconds: number, because: string | null) =>
  move(unit, 'lose', id, {
    set: 'failed_at = clock_timestamp(), refusal = $2, next_send_at = now() + make_interval(secs => $3), error = $4',
    values: [refusal, seconds, because ?? refusal],
  })

/** Calls that were never answered, because their process died, are over. */
export async function loseUnanswered(
  { pool, log }: Runtime,
  environment: Environment,
  account: string,
  seconds: number,
): Promise<void> {
  const condition = `environment = $1 and account = $2 and status = 'claimed' and sent_at < now() - make_interval(secs => $3)`
  const { rows } = await pool.query<WrittenSend>(
    `update cngn_sends s set status = '${after('lose')}', error = coalesce(error, 'cngn_no_answer'), failed_at = sent_at + make_interval(secs => $3)
       from ${wasIn(condition)} previous where id = was_id and ${condition} returning ${WRITTEN}`,
    [environment, account, seconds],
  )
  logMoves({ log, afterCommit: (tell) => tell() }, 'lose', rows)
}

/** Nothing was sent, by the evidence of the lists: it waits again, and not before the provider wants to be asked. */
export async function sendAgain(unit: UnitOfWork, id: string): Promise<boolean> {
  const moved = await move(unit, 'requeue', id, {
    set: `sent_at = null, absent_since = null, maybe_sent_from = null, maybe_sent_until = null,
          next_send_at = case when refusal is null then now() else greatest(next_send_at, now()) end`,
    where: "status <> 'held'",
  })
  if (moved) unit.afterCommit(() => unit.runtime.trigger(SEND))
  return Boolean(moved)
}

/** The cNGN of a convert has been sent: from now on its delivery is polled. False: it is already. */
export const startDelivery = async (unit: UnitOfWork, id: string): Promise<boolean> =>
  Boolean(await move(unit, 'deliver', id, { set: 'next_delivery_at = now(), next_check_at = null' }))

export interface ClaimedDelivery {
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly seconds: number
}

/** Takes converts whose delivery is due for a poll, and postpones them, so that no other process takes them. */
export async function claimDeliveries(
  runtime: Runtime,
  environment: Environment,
  limit: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await runtime.pool.query<{ id: string; organisation_id: string; delivery_seconds: number }>(
    `with due as (${dueInTurns({ table: 'cngn_sends', at: 'next_delivery_at', where: 'environment = $1 and next_delivery_at is not null', limit: '$2' })})
     update cngn_sends s set next_delivery_at = now() + make_interval(secs => greatest($3, delivery_seconds))
      where s.id = any (array(select id from due)) and next_delivery_at <= now()
      returning s.id, organisation_id, delivery_seconds`,
    [environment, limit, LOST_SECONDS],
  )
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisation_id,
    environment,
    seconds: row.delivery_seconds,
  }))
}

/** A delivery that has not ended is polled again after so many seconds. */
export const postponeDelivery = (unit: UnitOfWork, id: string, seconds: number) =>
  sqlOf(unit.em).query(
    `update cngn_sends set next_delivery_at = now() + make_interval(secs => $2::int), delivery_seconds = $2::int
      where id = $1 and status = 'delivering'`,
    [id, seconds],
  )

/** It is asked for by its reference now, and next time later: see `CHECK`. One that failed is, for a week. */
export const checkLater = ({ pool }: Runtime, id: string, soonest: number) =>
  pool.query(
    `update cngn_sends set ${nextCheck("status = 'ended' and sent_at < now() - interval '7 days'")} where id = $1`,
    [id, soonest],
  )

/**
 * May the provider still answer or carry out a call for this order? Until then its outcome is unknown, and its money must stay reserved. The
 * order stays locked. One that the provider has accepted is not asked for: it has an end of its own.
 */
export async function isUnderWay(unit: UnitOfWork, id: string): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query<{ under_way: boolean }>(
    `select status in ('claimed', 'unresolved') and sent_at > clock_timestamp() - make_interval(secs => $2) as under_way
       from cngn_sends where id = $1 for update`,
    [id, CALL_SECONDS],
  )
  return rows[0]?.under_way === true
}
