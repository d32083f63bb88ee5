import { type Environment, system } from '@payments/kernel'
import { queryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { treasuryProvider } from '../money/holder.ts'
import { type Books, books, most, treasuryBalance } from '../money/treasury.ts'
import type { Movements, ProviderTransaction } from '../provider/provider.ts'
import type { Kind } from '../transfers/kinds.ts'
import { lockedTransfer, update } from '../transfers/transfers.ts'
import { sameAmount } from './contradictions.ts'
import { SEND, SKEW_SECONDS } from './schedule.ts'
import { destinationKey, resolve } from './sends.ts'

// Orders whose answer was lost. The provider's list shows amount, destination and time, and no reference of ours: one list says
// little, so an order is found only by what fits nothing else, and is sent again only when nothing speaks against it.

/** A movement that was made so long before an order was claimed may still be the order: clocks, and times in whole seconds. */
const BEFORE_MS = 5_000
/** A call that sends takes no longer than this: a later movement is not of that call. */
const AFTER_MS = 120_000
/** Known movements so near to an order must be in a list that is to prove something about it. */
const AROUND_MS = 600_000
/** Orders are sent so often at most without an answer. */
const ATTEMPTS = 5
/** When operators are told of an order that stays unresolved, seconds. */
const ATTENTION_SECONDS = 3600

interface Unresolved {
  readonly id: string
  readonly kind: Kind
  readonly organisationId: string
  readonly amount: bigint
  readonly channel: 'payout' | 'withdrawal'
  readonly target: string
  readonly sentAt: Date
  /** The latest time at which it may have been sent. */
  readonly sentUntil: Date
  /** Orders that look the same, and that a restored database has forgotten to have sent, if they were. They wait for this one. */
  readonly equalsInDoubt: number
  /** `sentAt` as the database writes it. */
  readonly claim: string
  readonly absentSince: Date | null
  readonly surplus: bigint
  readonly attempts: number
}

/** What was known before a list was read: the treasury first, so that no later money hides what left it. */
export interface Before {
  readonly books: Books
  readonly balance: bigint
}

/** Reads the treasury before the list, if a list may be the last that an order needs. */
export async function treasuryBefore(
  runtime: Runtime,
  environment: Environment,
  account: string,
): Promise<Before | null> {
  const { knowsOrders, certainAfterSeconds } = treasuryProvider(runtime, environment)
  if (knowsOrders) return null
  const { rows } = await runtime.pool.query(
    `select 1 from cngn_sends where environment = $1 and account = $2 and absent_since is not null and reference is null and not ended
        and sent_at < now() - make_interval(secs => $3) limit 1`,
    [environment, account, certainAfterSeconds],
  )
  if (rows.length === 0) return null
  const before = await books(runtime, environment)
  return { books: before, balance: await treasuryBalance(runtime, environment) }
}

async function unresolved({ pool }: Runtime, environment: Environment, account: string): Promise<Unresolved[]> {
  const { rows } = await pool.query<{
    id: string
    kind: Kind
    organisation_id: string
    fingerprint: string
    sent_at: Date | string
    claim: string
    sent_until: Date | string
    equals_in_doubt: number
    absent_since: Date | string | null
    surplus: string
    attempts: number
    amount: string
  }>(
    `select s.id, s.kind, s.organisation_id, s.fingerprint, s.sent_at, s.sent_at::text as claim, s.absent_since, s.surplus::text,
            s.attempts, t.amount::text, greatest(s.sent_at, s.maybe_sent_until) as sent_until,
            case when s.maybe_sent_until is null then 0 else
              (select count(*)::int from cngn_sends o where o.environment = s.environment and o.fingerprint = s.fingerprint and o.id <> s.id
                  and o.maybe_sent_until is not null and o.sent_at is null and o.reference is null and not o.ended) end as equals_in_doubt
       from cngn_sends s join cngn_transfers t on t.id = s.id
      where s.environment = $1 and s.account = $2 and s.sent_at is not null and s.reference is null and not s.ended
        and not exists (select from cngn_forgotten f where f.order_id = s.id)
      order by s.sent_at limit 1000`,
    [environment, account],
  )
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    organisationId: row.organisation_id,
    amount: BigInt(row.amount),
    channel: row.kind === 'payout' ? 'payout' : 'withdrawal',
    target: row.fingerprint.split('/').at(-1) ?? '',
    sentAt: new Date(row.sent_at),
    sentUntil: new Date(row.sent_until),
    equalsInDoubt: row.equals_in_doubt,
    claim: row.claim,
    absentSince: row.absent_since === null ? null : new Date(row.absent_since),
    surplus: BigInt(row.surplus),
    attempts: row.attempts,
  }))
}

/** Could a movement be an order? `exactly`: everything fits. `possibly`: what the list leaves out, or the time, leaves it open. */
function fits(order: Unresolved, tx: ProviderTransaction, listedAt: Date | undefined): 'exactly' | 'possibly' | 'no' {
  const claimed = order.sentAt.getTime()
  // A failed movement is another attempt, or one that moved nothing; one that was listed before the claim was there already.
  if (tx.status === 'failed' || tx.channel !== order.channel || (listedAt && listedAt.getTime() < claimed)) return 'no'
  if (tx.amount !== null && !sameAmount(tx.amount, order.amount)) return 'no'
  if (tx.targets.length > 0 && !tx.targets.some((target) => destinationKey(target) === order.target)) return 'no'
  if (tx.at && tx.at.getTime() < claimed - SKEW_SECONDS * 1000) return 'no'
  const inTime =
    tx.at && tx.at.getTime() >= claimed - BEFORE_MS && tx.at.getTime() <= order.sentUntil.getTime() + AFTER_MS
  return inTime && tx.amount !== null && tx.targets.length > 0 ? 'exactly' : 'possibly'
}

/**
 * Finds the references of orders whose answer was lost: of an order that exactly one movement fits, which fits no other order. Keeps the
 * references that no order has, so that no later order takes one. Then sends again what is certain to have never been sent: two complete
 * lists, minutes apart, that contain the known movements around its time and nothing that could be it, and a treasury that did not
 * fall. Everything else waits, and operators are told. Returns whether anything changed.
 */
export async function resolveOrders(
  runtime: Runtime,
  environment: Environment,
  account: string,
  list: Movements & { readonly began: Date; readonly readAt: Date; readonly before: Before | null },
): Promise<boolean> {
  const out = list.movements.filter(({ channel }) => !channel.endsWith('_in'))
  const strangers = await withoutOrder(runtime, environment, account, out)
  const listed = await keepListed(runtime, environment, account, strangers, list.readAt)
  const orders = await unresolved(runtime, environment, account)
  let changed = false
  const absent: Unresolved[] = []
  const of = (order: Unresolved, how: string) =>
    strangers.filter((tx) => fits(order, tx, listed.get(tx.reference)) === how)
  for (const order of orders) {
    const context = queryContext(runtime, system(order.organisationId, environment))
    const [one, ...more] = of(order, 'exactly')
    const others = one
      ? orders.filter((other) => other !== order && fits(other, one, listed.get(one.reference)) !== 'no')
      : []
    // Of equal orders that may all have been sent it does not matter which movement is whose.
    if (one && more.length <= order.equalsInDoubt && others.length === 0) {
      await unitOfWork(context, (unit) => found(unit, order, one.reference))
      changed = true
    } else if (one || of(order, 'possibly').length > 0 || list.unreadable?.some(({ at }) => mayBe(order, at))) {
      await unitOfWork(context, (unit) => undecided(unit, order, list.began))
    } else absent.push(order)
  }
  if (list.complete && absent.length > 0)
    changed = (await sendAgain(runtime, environment, account, list, absent)) || changed
  return changed
}

const mayBe = ({ sentAt }: Unresolved, at: Date | null) => !at || at.getTime() >= sentAt.getTime() - SKEW_SECONDS * 1000

async function withoutOrder(
  runtime: Runtime,
  environment: Environment,
  account: string,
  out: readonly ProviderTransaction[],
): Promise<ProviderTransaction[]> {
  if (out.length === 0) return []
  const { knowsOrders } = treasuryProvider(runtime, environment)
  if (knowsOrders) return []
  const { rows } = await runtime.pool.query<{ reference: string }>(
    'select reference from cngn_sends where environment = $1 and account = $2 and reference = any ($3)',
    [environment, account, out.map(({ reference }) => reference)],
  )
  const known = new Set(rows.map(({ reference }) => reference))
  return out.filter(({ reference }) => !known.has(reference))
}

/** When each movement without an order was listed first. */
async function keepListed(
  { pool }: Runtime,
  environment: Environment,
  account: string,
  strangers: readonly ProviderTransaction[],
  readAt: Date,
): Promise<Map<string, Date>> {
  if (strangers.length === 0) return new Map()
  const { rows } = await pool.query<{ reference: string; listed_at: Date | string }>(
    `insert into cngn_listed as l (environment, account, reference, listed_at)
     select $1, $2, reference, $4 from unnest($3::text[]) as reference
     on conflict (environment, account, reference) do update set listed_at = l.listed_at returning reference, listed_at`,
    [environment, account, [...new Set(strangers.map(({ reference }) => reference))], readAt],
  )
  return new Map(rows.map((row) => [row.reference, new Date(row.listed_at)]))
}

async function found(unit: UnitOfWork, order: Unresolved, reference: string): Promise<void> {
  const row = await lockedTransfer(unit, order.kind, order.id)
  // It was sent again, or answered, meanwhile.
  if (!(await isStill(unit, order))) return
  if (await resolve(unit, order.id, reference, true))
    await update(unit, row, {
      providerReference: reference,
      ...(row.attention === 'outcome_unknown' ? { attention: null } : {}),
    })
}

async function isStill(unit: UnitOfWork, { id, claim }: Unresolved): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query(
    'select 1 from cngn_sends where id = $1 and sent_at = $2::timestamptz and reference is null and not ended for update',
    [id, claim],
  )
  return rows.length > 0
}

/** Something in the list could be the order: it is not sent again, and operators are told once its answer should be known. */
async function undecided(unit: UnitOfWork, order: Unresolved, began: Date, afterSeconds?: number): Promise<void> {
  const row = await lockedTransfer(unit, order.kind, order.id)
  if (!(await isStill(unit, order))) return
  await sqlOf(unit.em).query('update cngn_sends set absent_since = null where id = $1 and absent_since is not null', [
    order.id,
  ])
  const provider = treasuryProvider(unit.runtime, row.environment)
  const since = (began.getTime() - order.sentUntil.getTime()) / 1000
  if (since >= (afterSeconds ?? provider.certainAfterSeconds) && !row.attention && row.status === 'processing')
    await update(unit, row, { attention: 'outcome_unknown', providerOutcome: 'unknown' })
}

async function sendAgain(
  runtime: Runtime,
  environment: Environment,
  account: string,
  list: Movements & { readonly began: Date; readonly before: Before | null },
  absent: readonly Unresolved[],
): Promise<boolean> {
  const { knowsOrders, certainAfterSeconds, listsApartSeconds = 0 } = treasuryProvider(runtime, environment)
  const after = list.before ? await books(runtime, environment) : null
  const references = new Set(list.movements.map(({ reference }) => reference))
  let changed = false
  for (const order of absent) {
    const context = queryContext(runtime, system(order.organisationId, environment))
    const old = list.began.getTime() - order.sentUntil.getTime()
    if (old <= 0) continue
    if (!knowsOrders) {
      if (!(await containsKnown(runtime, environment, account, order, references))) {
        await unitOfWork(context, (unit) => undecided(unit, order, list.began, ATTENTION_SECONDS))
        continue
      }
      if (!order.absentSince) {
        await runtime.pool.query(
          `update cngn_sends set absent_since = $3 where id = $1 and sent_at = $2::timestamptz and reference is null and not ended`,
          [order.id, order.claim, list.began],
        )
        continue
      }
      if (list.began.getTime() - order.absentSince.getTime() < listsApartSeconds * 1000) continue
    }
    if (old < certainAfterSeconds * 1000) continue
    if (!knowsOrders) {
      if (!list.before || !after) continue
      const held = most(after.journal, list.before.books.journal)
      const missing = held + order.surplus - list.before.balance
      if (missing > 0n || order.attempts >= ATTEMPTS) {
        // What other orders took is missing too, until they have ended.
        const explained = list.before.books.leaving - order.amount
        const soon = missing > explained || order.attempts >= ATTEMPTS
        await unitOfWork(context, (unit) => unsafe(unit, order, soon || old >= ATTENTION_SECONDS * 1000))
        continue
      }
    }
    changed = (await unitOfWork(context, (unit) => free(unit, order))) || changed
  }
  if (changed) runtime.trigger(SEND)
  return changed
}

/** The treasury does not have the order's money: it may have been sent. */
async function unsafe(unit: UnitOfWork, order: Unresolved, tell: boolean): Promise<void> {
  const row = await lockedTransfer(unit, order.kind, order.id)
  if (tell && !row.attention && row.status === 'processing' && (await isStill(unit, order)))
    await update(unit, row, { attention: 'outcome_unknown', providerOutcome: 'unknown' })
}

/** Frees an order that the provider never got. */
async function free(unit: UnitOfWork, order: Unresolved): Promise<boolean> {
  const row = await lockedTransfer(unit, order.kind, order.id)
  if (!(await isStill(unit, order))) return false
  await sqlOf(unit.em).query(
    `update cngn_sends set sent_at = null, absent_since = null, maybe_sent_from = null, maybe_sent_until = null, next_send_at = now()
      where id = $1`,
    [order.id],
  )
  if (row.attention === 'outcome_unknown') await update(unit, row, { attention: null })
  unit.log.warn({ transfer: order.id }, 'order was not sent and is sent again')
  return true
}

/** Does a list show the movements that are known around the time of an order, and the last one before it? One that does not proves nothing. */
async function containsKnown(
  { pool }: Runtime,
  environment: Environment,
  account: string,
  order: Unresolved,
  references: ReadonlySet<string>,
): Promise<boolean> {
  const { rows } = await pool.query<{ reference: string }>(
    `with known as (
       select reference, sent_at as at from cngn_sends
        where environment = $1 and account = $2 and reference is not null and sent_at <= $3::timestamptz + make_interval(secs => $4)
       union all
       select reference, received_at from cngn_receipts
        where environment = $1 and account = $2 and received_at <= $3::timestamptz + make_interval(secs => $4))
     (select reference from known where at >= $3::timestamptz - make_interval(secs => $4))
     union (select reference from known where at <= $3::timestamptz order by at desc limit 1)`,
    [environment, account, order.claim, AROUND_MS / 1000],
  )
  return rows.every(({ reference }) => references.has(reference))
}

/** SQL: the time of the last movement that is known before the oldest order without an answer (`$1` environment, `$2` account). */
export const LAST_KNOWN = `(select max(at) from (
    (select sent_at as at from cngn_sends where environment = $1 and account = $2 and reference is not null and sent_at <= oldest.at
      order by sent_at desc limit 1)
    union all
    (select received_at from cngn_receipts where environment = $1 and account = $2 and received_at <= oldest.at
      order by received_at desc limit 1)) known)`
