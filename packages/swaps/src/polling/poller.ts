import { type Carried, type Environment, environments } from '@payments/kernel'
import {
  aboutObject,
  boundTo,
  dueInTurns,
  earliest,
  heedingPause,
  isPaused,
  limitedFor,
  type Runtime,
  type Task,
} from '@payments/platform'
import { type PolledSwap, SwapEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { type DepositReport, type SwapsProvider, swapsProvider } from '../provider/provider.ts'
import { neededTransaction } from '../swaps/changes.ts'
import { nextPoll, POLL } from '../swaps/schedule.ts'
import { comparison, processSwap, recordFailure, watched } from './process.ts'

/** Swaps of one claim. Their addresses are read in one call, and those of which nothing is new cost one statement together. */
const BATCH = 200
/** Swaps of a claim that are processed at the same time. */
const LANES = 8
/** A swap whose worker died is due again after this time. */
const LOST_SECONDS = 60

interface ClaimedSwap {
  readonly row: PolledSwap
  /** A transaction of it has been sent. */
  readonly isMoving: boolean
}

interface Claimed {
  readonly id: string
  /** When it is due again. */
  readonly until: string
  readonly seconds: number
  readonly failing: string | null
  readonly read_to: string | null
  readonly moving: boolean
}

/** Claims the swaps of a provider that are due: organisations take turns, and what waits longest comes first. */
export async function claimDue(runtime: Runtime, { provider, environment }: Carried): Promise<readonly ClaimedSwap[]> {
  const { rows: claimed } = await runtime.pool.query<Claimed>(
    `with due as (${dueInTurns({ table: 'swap_polls', at: 'next_poll_at', where: 'provider = $4 and environment = $1', limit: '$2', few: true })})
     update swap_polls q set next_poll_at = now() + make_interval(secs => $3) where q.id = any (array(select id from due))
     returning q.id, q.next_poll_at::text as until, q.poll_seconds as seconds, q.failing_since::text as failing, q.read_to,
               exists (select from swap_transactions t where t.swap_id = q.id and t.outcome is null) as moving`,
    [environment, BATCH, LOST_SECONDS, provider],
  )
  if (claimed.length === 0) return []
  const rows = await runtime.orm.em
    .fork()
    .find(
      SwapEntity,
      { id: { $in: claimed.map(({ id }) => id) } },
      { filters: { tenant: false }, disableIdentityMap: true },
    )
  const swapOf = new Map(rows.map((row) => [row.id, row]))
  return claimed.flatMap(({ id, until, seconds: pollSeconds, failing, read_to: readTo, moving: isMoving }) => {
    const swap = swapOf.get(id)
    const failingSince = failing === null ? null : new Date(failing)
    return swap ? [{ row: { ...swap, nextPollAt: new Date(until), pollSeconds, failingSince, readTo }, isMoving }] : []
  })
}

/** True when a report changes nothing of a swap but the time of its next poll, and how far its history was read. */
export function isUnchanged({ settings }: Runtime, { row, isMoving }: ClaimedSwap, report: DepositReport): boolean {
  if (isMoving || !report.complete || report.deposits.length > 0 || report.withdrawals?.length || row.failingSince)
    return false
  if (row.status === 'awaiting_deposit' ? report.finalizedAt > row.depositsUntil : report.holdings?.closable)
    return false
  if (neededTransaction(row, settings)) return false
  const compared = comparison(row, report)
  return (
    compared === undefined ||
    (compared.unexplainedAmount === (row.unexplainedAmount ?? 0n) &&
      JSON.stringify(compared.otherHoldings) === JSON.stringify(row.otherHoldings ?? null))
  )
}

/** Postpones the next polls of swaps of which nothing is new, in one statement; a swap that changed meanwhile keeps its own. */
async function postpone(runtime: Runtime, unchanged: readonly (readonly [PolledSwap, DepositReport])[]): Promise<void> {
  if (unchanged.length === 0) return
  const polls = unchanged.map(([row, report]) => ({ row, report, next: nextPoll(row, false) }))
  await runtime.pool.query(
    `update swap_polls q set next_poll_at = u.next_poll_at, poll_seconds = u.poll_seconds, read_to = u.read_to
       from unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
            as u (id, next_poll_at, poll_seconds, read_to, was_read_to, updated_at, claimed_until)
      where q.id = u.id and q.read_to is not distinct from u.was_read_to and q.next_poll_at = u.claimed_until
        and exists (select from swaps s where s.id = u.id and s.updated_at = u.updated_at)`,
    [
      polls.map(({ row }) => row.id),
      polls.map(({ next }) => next.nextPollAt),
      polls.map(({ next }) => next.pollSeconds),
      polls.map(({ report }) => report.readTo),
      polls.map(({ row }) => row.readTo ?? null),
      polls.map(({ row }) => row.updatedAt),
      polls.map(({ row }) => row.nextPollAt),
    ],
  )
}

/** Processes one batch of a provider. Returns its size. */
async function processDue(runtime: Runtime, environment: Environment, provider: SwapsProvider): Promise<number> {
  // A pause that the node asks for holds in all processes.
  const budget = { provider: provider.name, bucket: 'deposit polls', environment }
  if (await isPaused(runtime.pool, budget)) return 0
  const claimed = await claimDue(runtime, { provider: provider.name, environment })
  if (claimed.length === 0) return 0
  let reports: readonly (DepositReport | Error)[]
  try {
    reports = await heedingPause(runtime.pool, budget, () => provider.deposits(claimed.map(({ row }) => watched(row))))
  } catch (error) {
    // It says nothing about these swaps: they are due again when the pause has passed.
    const seconds = limitedFor(error)
    if (seconds !== undefined) {
      await runtime.pool.query(
        'update swap_polls set next_poll_at = least(next_poll_at, now() + make_interval(secs => $2)) where id = any ($1)',
        [claimed.map(({ row }) => row.id), seconds],
      )
      return 0
    }
    await Promise.all(claimed.map(({ row }) => fail(runtime, row, error)))
    return 0
  }
  const queue: (readonly [PolledSwap, DepositReport | Error | undefined])[] = []
  const unchanged: (readonly [PolledSwap, DepositReport])[] = []
  for (const [index, each] of claimed.entries()) {
    const report = reports[index]
    if (report && !(report instanceof Error) && isUnchanged(runtime, each, report)) unchanged.push([each.row, report])
    else queue.push([each.row, report])
  }
  await postpone(runtime, unchanged)
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [swap, report] = next
      const processed =
        report && !(report instanceof Error)
          ? aboutObject(swap, () => processSwap(runtime, swap, report))
          : Promise.reject(report ?? errors.swap_provider_failed())
      await processed.catch((error: unknown) => fail(runtime, swap, error))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return claimed.length
}

async function fail(runtime: Runtime, swap: PolledSwap, error: unknown): Promise<void> {
  if (runtime.database.report(error)) return
  runtime.log.warn({ err: error, swap: swap.id }, 'swap not processed')
  await recordFailure(runtime, swap, error)
}

/** Processes the swaps that are due, in every worker at once. */
export const pollTask: Task = {
  name: POLL,
  because: 'A transaction must reach the chain before its blockhash expires: swaps are claimed in batches every second',
  due: (runtime) =>
    earliest(
      boundTo(runtime, swapsProvider).map(
        ({ environment, provider: { name } }) =>
          `select next_poll_at from swap_polls where provider = '${name}' and environment = '${environment}' order by next_poll_at limit 1`,
      ),
    ),
  runsIn: 'every-process',
  async run(runtime) {
    const ofEnvironment = async (environment: Environment) => {
      const inUse = await runtime.providers.inUse(swapsProvider, environment)
      return Promise.all(inUse.map((provider) => processDue(runtime, environment, provider)))
    }
    const sizes = await Promise.all(environments.map(ofEnvironment))
    return sizes.flat().includes(BATCH)
  },
}
