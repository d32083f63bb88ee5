import { type Environment, errorCode, ServiceError, system } from '@payments/kernel'
import { queryContext, type Runtime, unitOfWork, withSameCredentials } from '@payments/platform'
import type { Kind } from '../kinds/kinds.ts'
import { credentialsNow, treasuryProvider } from '../provider/holder.ts'
import { type ProviderTransaction, referencesOf } from '../provider/provider.ts'
import { LOST_SECONDS, nextInterval } from '../provider/schedule.ts'
import { fail, lockedTransfer } from '../resources/transfers.ts'
import { tellOfCredentials } from './credentials.ts'
import { isIn, listMovements, stragglers, unfinished, window } from './listing.ts'
import { applyIncoming } from './receipts/incoming.ts'
import { endRecords, keepRecord, type OddRecord, UNAPPLIED, UNREAD } from './records.ts'
import { applyOutgoing } from './sends/outgoing.ts'
import { resolveOrders, treasuryBefore } from './sends/unresolved.ts'

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
 * repeated, and changes nothing twice. What cannot be read or applied is kept for operators, and the others count. Money that arrived comes
 * first: what is not booked may hide what left. Then orders whose call failed are resolved (see `sends/unresolved.ts`), and objects that
 * were not paid expire.
 */
export async function pollFeed(runtime: Runtime, claimed: ClaimedFeed): Promise<void> {
  const { environment, account, pollSeconds } = claimed
  try {
    await tellOfCredentials(runtime, environment, account)
    const before = await treasuryBefore(runtime, environment, account)
    const { began, since } = await window(runtime, environment, account)
    const listed = await listMovements(runtime, environment, account, since)
    const { movements } = listed
    const readAt = await databaseTime(runtime)
    let changed = false
    let complete = listed.complete
    const failed = new Set<ProviderTransaction>()
    const apply = async (tx: ProviderTransaction) => {
      try {
        const by = isIn(tx) ? applyIncoming : applyOutgoing
        changed = (await by(runtime, environment, account, tx)) || changed
      } catch (error) {
        if (runtime.database.report(error)) throw error
        complete = false
        failed.add(tx)
        await keepFailed(runtime, environment, account, tx, error)
      }
    }
    for (const { reference, field, report } of listed.unreadable ?? [])
      await keep(runtime, { environment, account, reference, report, reason: `${UNREAD}: ${field}` })
    const [arrived, left] = [isIn, (tx: ProviderTransaction) => !isIn(tx)].map((which) => movements.filter(which))
    for (const tx of await unfinished(runtime, environment, account, arrived ?? [])) await apply(tx)
    changed =
      (await resolveOrders(runtime, environment, account, { ...listed, complete, began, readAt, before })) || changed
    for (const tx of await unfinished(runtime, environment, account, left ?? [])) await apply(tx)
    for (const tx of await stragglers(runtime, environment, account, movements)) await apply(tx)
    const read = movements.filter((tx) => !failed.has(tx))
    await endRecords(runtime.pool, environment, account, read.flatMap(referencesOf))
    // What is missing in an incomplete list may be a payment that is in time.
    if (complete) {
      changed = (await expire(runtime, environment, account, began)) || changed
      await forget(runtime, environment, account)
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
        errorCode(error),
      ],
    )
    throw error
  }
}

async function keep(runtime: Runtime, record: OddRecord): Promise<void> {
  if (await keepRecord(runtime.pool, record))
    runtime.log.warn(
      { environment: record.environment, account: record.account, reference: record.reference, reason: record.reason },
      'movement kept for operators',
    )
}

/** A movement that could not be applied does not stop the others. It is tried again with the next poll. */
async function keepFailed(
  runtime: Runtime,
  environment: Environment,
  account: string,
  tx: ProviderTransaction,
  error: unknown,
): Promise<void> {
  runtime.log.error({ err: error, environment, account, reference: tx.reference }, 'movement could not be applied')
  const { reference, channel, status, amount } = tx
  const report = JSON.stringify({ reference, channel, status, amount: amount === null ? null : String(amount) })
  await keep(runtime, { environment, account, reference, report, reason: `${UNAPPLIED}: ${errorCode(error)}` })
}

async function databaseTime({ pool }: Runtime): Promise<Date> {
  const { rows } = await pool.query<{ at: Date | string }>('select clock_timestamp() as at')
  return new Date(rows[0]?.at ?? Number.NaN)
}

/** References are compared with orders of the last minutes only. */
async function forget({ pool }: Runtime, environment: Environment, account: string): Promise<void> {
  await pool.query(
    `delete from cngn_listed where environment = $1 and account = $2 and listed_at < now() - interval '30 days'`,
    [environment, account],
  )
  await pool.query(
    `delete from cngn_forgotten where environment = $1 and account = $2 and found_at < now() - interval '30 days' and order_id is null`,
    [environment, account],
  )
}

/**
 * Ends objects that nobody paid in time: two complete lists lack the payment, both read after its time was over and so far apart that what the
 * API shows late is shown.
 */
async function expire(runtime: Runtime, environment: Environment, account: string, began: Date): Promise<boolean> {
  const { graceSeconds, listsApartSeconds = 0 } = treasuryProvider(runtime, environment)
  const values = [environment, account, began, graceSeconds, credentialsNow(runtime, environment)]
  const due = `environment = $1 and account = $2 and status = 'pending' and due_at < $3::timestamptz - make_interval(secs => $4)
        and ${withSameCredentials('$5')}`
  await runtime.pool.query(`update cngn_transfers set absent_since = $3 where ${due} and absent_since is null`, values)
  const { rows } = await runtime.pool.query<{ id: string; kind: Kind; organisation_id: string }>(
    `select id, kind, organisation_id from cngn_transfers
      where ${due} and absent_since <= $3::timestamptz - make_interval(secs => $6) order by due_at limit 500`,
    [...values, listsApartSeconds],
  )
  for (const { id, kind, organisation_id } of rows)
    await unitOfWork(queryContext(runtime, system(organisation_id, environment)), async (unit) => {
      const row = await lockedTransfer(unit, kind, id)
      if (row.status === 'pending') await fail(unit, row, 'expired')
    })
  return rows.length > 0
}

async function schedule(
  runtime: Runtime,
  claimed: ClaimedFeed,
  checkedAt: Date | null,
  changed: boolean,
): Promise<void> {
  const { environment, account, pollSeconds, until } = claimed
  const { pollSeconds: range } = treasuryProvider(runtime, environment)
  const { rows } = await runtime.pool.query<{ open: boolean }>(
    `select exists (select from cngn_sends where environment = $1 and account = $2 and status in ('claimed', 'unresolved', 'accepted', 'delivering', 'held'))
         or exists (select from cngn_receipts where environment = $1 and account = $2 and status = 'open')
         or exists (select from cngn_transfers where environment = $1 and account = $2 and status = 'pending'
                      and due_at is not null) as open`,
    [environment, account],
  )
  const now = credentialsNow(runtime, environment)
  if (checkedAt && now)
    await runtime.pool.query(
      `insert into cngn_checkpoints (environment, account, credentials, checked_at) values ($1, $2, $3, $4)
       on conflict (environment, account, credentials) do update set checked_at = excluded.checked_at`,
      [environment, account, now, checkedAt],
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
