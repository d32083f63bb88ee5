import { type Environment, ServiceError, system } from '@payments/kernel'
import { queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { applyIncoming } from './incoming.ts'
import type { Kind } from './kinds.ts'
import { applyOutgoing, SKEW_SECONDS } from './outgoing.ts'
import {
  cngnProvider,
  customerAccountsProvider,
  type Feed,
  type Movements,
  type ProviderTransaction,
} from './provider.ts'
import { budgetOf } from './rate-budget.ts'
import { LOST_SECONDS, nextInterval, SEND } from './schedule.ts'
import { fail, lockedTransfer } from './transfers.ts'

/** How far a poll goes back beyond what it has to: for movements that a provider lists late. */
const OVERLAP_SECONDS = 600
/** How long a payment that has not settled is looked for in the list; afterwards by its reference. */
const LISTED_SECONDS = 3600
/** Movements that one poll asks for by their reference, at most. */
const STRAGGLERS = 3

export interface ClaimedFeed {
  readonly id: string
  readonly environment: Environment
  readonly account: string
  readonly pollSeconds: number
  /** Until when the claim postponed the next poll, as the database writes it. */
  readonly until: string
}

/** Takes accounts whose list is due, and postpones them, so that no other process takes them. */
export async function claimFeeds(runtime: Runtime, environment: Environment, limit: number): Promise<ClaimedFeed[]> {
  const { rows } = await runtime.pool.query<{ account: string; poll_seconds: number; until: string }>(
    `update cngn_feeds set next_poll_at = now() + make_interval(secs => $3::int)
      where environment = $1 and account in (select account from cngn_feeds where environment = $1 and next_poll_at <= now()
                    order by next_poll_at limit $2 for update skip locked)
      returning account, poll_seconds, next_poll_at::text as until`,
    [environment, limit, LOST_SECONDS],
  )
  return rows.map((row) => ({
    id: row.account,
    environment,
    account: row.account,
    pollSeconds: row.poll_seconds,
    until: row.until,
  }))
}

/**
 * Reads the list of movements of an account and applies what is new, each in a transaction of its own: a poll that is interrupted is
 * repeated, and changes nothing twice. Then objects that nobody paid expire, and orders that the list would show by now and does not
 * are sent again.
 */
export async function pollFeed(runtime: Runtime, claimed: ClaimedFeed): Promise<void> {
  const { environment, account, pollSeconds } = claimed
  try {
    const { began, since } = await window(runtime, environment, account)
    const { movements, complete } = await list(runtime, environment, account, since)
    let changed = false
    const apply = async (tx: ProviderTransaction) => {
      const by = tx.channel.endsWith('_in') ? applyIncoming : applyOutgoing
      changed = (await by(runtime, environment, account, tx)) || changed
    }
    for (const tx of await unfinished(runtime, environment, account, movements)) await apply(tx)
    for (const tx of await stragglers(runtime, environment, account, movements)) await apply(tx)
    // What is missing in an incomplete list may be a payment that is in time, or an order that was sent.
    if (complete) {
      changed = (await expire(runtime, environment, account, began)) || changed
      changed = (await sendAgain(runtime, environment, account, began)) || changed
    }
    await schedule(runtime, claimed, complete ? began : null, changed)
  } catch (error) {
    await runtime.pool.query(
      `update cngn_feeds set next_poll_at = now() + make_interval(secs => $3::int), poll_seconds = $3::int, error = $4,
              failing_since = coalesce(failing_since, now()) where environment = $1 and account = $2`,
      [
        environment,
        account,
        Math.max(error instanceof ServiceError ? (error.retryAfter ?? 0) : 0, Math.min(pollSeconds * 2, LOST_SECONDS)),
        error instanceof ServiceError ? error.code : 'internal',
      ],
    )
    throw error
  }
}

/**
 * Now, and the time from which movements may be new. A movement that takes longer than usual does not make the list longer: it is asked
 * for by its reference.
 */
async function window(
  { pool }: Runtime,
  environment: Environment,
  account: string,
): Promise<{ began: Date; since: Date }> {
  const { rows } = await pool.query<{ began: Date | string; since: Date | string }>(
    `select clock_timestamp() as began, least(
              (select checked_at from cngn_feeds where environment = $1 and account = $2),
              (select min(sent_at) from cngn_sends
                where environment = $1 and account = $2 and sent_at is not null and reference is null and not ended),
              (select min(received_at) from cngn_receipts
                where environment = $1 and account = $2 and status = 'open' and received_at > now() - make_interval(secs => $4))
            ) - make_interval(secs => $3) as since`,
    [environment, account, OVERLAP_SECONDS + SKEW_SECONDS, LISTED_SECONDS],
  )
  return { began: new Date(rows[0]?.began ?? Number.NaN), since: new Date(rows[0]?.since ?? Number.NaN) }
}

/** The movements of every provider that has this account, oldest first. */
async function list(runtime: Runtime, environment: Environment, account: string, since: Date): Promise<Movements> {
  const { providers } = runtime
  const feeds = new Set<Feed | undefined>([
    providers.get(cngnProvider, environment),
    providers.find(customerAccountsProvider, environment),
  ])
  const budget = budgetOf({ runtime }, environment)
  const all: ProviderTransaction[] = []
  let complete = true
  for (const feed of feeds) {
    const listed = await feed?.transactions(account, since, budget)
    all.push(...(listed?.movements ?? []))
    complete &&= listed?.complete ?? true
  }
  return { movements: all.sort((a, b) => a.at.getTime() - b.at.getTime()), complete }
}

/** Movements that have not ended and are older than the list, a few at a time. */
async function stragglers(
  runtime: Runtime,
  environment: Environment,
  account: string,
  listed: readonly ProviderTransaction[],
): Promise<ProviderTransaction[]> {
  const { rows } = await runtime.pool.query<{ reference: string }>(
    `select reference from (
       select reference from cngn_sends where environment = $1 and account = $2 and sent_at is not null and reference is not null
          and not ended and next_delivery_at is null
       union all
       select reference from cngn_receipts where environment = $1 and account = $2 and status = 'open') open
      where reference <> all ($3) order by random() limit $4`,
    [environment, account, listed.map(({ reference }) => reference), STRAGGLERS],
  )
  const provider = runtime.providers.get(cngnProvider, environment)
  const budget = budgetOf({ runtime }, environment)
  const found: ProviderTransaction[] = []
  for (const { reference } of rows) {
    const tx = await provider.movement(account, reference, budget)
    if (tx) found.push(tx)
  }
  return found
}

/** Movements that have not been applied to their end. */
async function unfinished(
  { pool }: Runtime,
  environment: Environment,
  account: string,
  listed: readonly ProviderTransaction[],
): Promise<ProviderTransaction[]> {
  const { rows } = await pool.query<{ reference: string; state: string }>(
    `select reference, 'ended' as state from cngn_receipts
      where environment = $1 and account = $2 and reference = any ($3) and status <> 'open'
     union all
     select s.reference, case when s.next_delivery_at is not null or t.attention is not null then 'ended' else t.status end
       from cngn_sends s join cngn_transfers t on t.id = s.id
      where s.environment = $1 and s.account = $2 and s.reference = any ($3)`,
    [environment, account, listed.map(({ reference }) => reference)],
  )
  const states = new Map(rows.map(({ reference, state }) => [reference, state]))
  return listed.filter(({ reference, status }) => {
    const state = states.get(reference)
    return !(state === 'ended' || state === 'failed' || (state === 'completed' && status !== 'failed'))
  })
}

/** Ends objects that nobody paid in time. The list was read after that, so no money is missing in it. */
async function expire(runtime: Runtime, environment: Environment, account: string, began: Date): Promise<boolean> {
  const { graceSeconds } = runtime.providers.get(cngnProvider, environment)
  const { rows } = await runtime.pool.query<{ id: string; kind: Kind; organisation_id: string }>(
    `select id, kind, organisation_id from cngn_transfers
      where environment = $1 and account = $4 and status = 'pending' and due_at < $3::timestamptz - make_interval(secs => $2)
      order by due_at limit 500`,
    [environment, graceSeconds, began, account],
  )
  for (const { id, kind, organisation_id } of rows)
    await unitOfWork(queryContext(runtime, system(organisation_id, environment)), async (unit) => {
      const row = await lockedTransfer(unit, kind, id)
      if (row.status === 'pending') await fail(unit, row, 'expired')
    })
  return rows.length > 0
}

/** Frees orders that were claimed and that the provider, by its own list, never got. */
async function sendAgain(runtime: Runtime, environment: Environment, account: string, began: Date): Promise<boolean> {
  const { certainAfterSeconds } = runtime.providers.get(cngnProvider, environment)
  const { rows } = await runtime.pool.query<{ id: string }>(
    `update cngn_sends set sent_at = null, next_send_at = now()
      where environment = $1 and account = $2 and sent_at < $3::timestamptz - make_interval(secs => $4)
        and reference is null and not ended returning id`,
    [environment, account, began, certainAfterSeconds],
  )
  for (const { id } of rows) runtime.log.warn({ transfer: id }, 'order was not sent and is sent again')
  if (rows.length > 0) runtime.trigger(SEND)
  return rows.length > 0
}

async function schedule(
  runtime: Runtime,
  claimed: ClaimedFeed,
  checkedAt: Date | null,
  changed: boolean,
): Promise<void> {
  const { environment, account, pollSeconds, until } = claimed
  const { pollSeconds: range } = runtime.providers.get(cngnProvider, environment)
  const { rows } = await runtime.pool.query<{ open: boolean }>(
    `select exists (select from cngn_sends where environment = $1 and account = $2 and sent_at is not null and not ended)
         or exists (select from cngn_receipts where environment = $1 and account = $2 and status = 'open')
         or exists (select from cngn_transfers where environment = $1 and account = $2 and status = 'pending'
                      and due_at is not null) as open`,
    [environment, account],
  )
  const interval = nextInterval(pollSeconds, { changed, open: rows[0]?.open ?? true }, range)
  // A poll that was asked for meanwhile stays.
  await runtime.pool.query(
    `update cngn_feeds set poll_seconds = $3::int, checked_at = coalesce($4::timestamptz, checked_at),
            failing_since = case when $4::timestamptz is null then coalesce(failing_since, now()) end,
            error = case when $4::timestamptz is null then 'list_incomplete' end,
            next_poll_at = case when next_poll_at = $5::timestamptz then now() + make_interval(secs => $3::int)
                                else least(next_poll_at, now() + make_interval(secs => $3::int)) end
      where environment = $1 and account = $2`,
    [environment, account, interval, checkedAt, until],
  )
}
