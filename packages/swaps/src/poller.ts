import { type Environment, environments } from '@payments/kernel'
import { aboutObject, dueInTurns, type Runtime, type Task } from '@payments/platform'
import type { Currency } from './currencies.ts'
import { errors } from './errors.ts'
import { processSwap, recordFailure, type SwapReference } from './process.ts'
import { type DepositReport, swapsProvider, type WatchedAddress } from './provider.ts'
import { POLL } from './schedule.ts'

/** Swaps of one claim. Their addresses are read in one call. */
const BATCH = 50
/** Swaps of a claim that are processed at the same time. */
const LANES = 8
/** A swap whose worker died is due again after this time. */
const LOST_SECONDS = 60

interface ClaimedSwap extends SwapReference, WatchedAddress {
  readonly pollSeconds: number
}

/** Claims the swaps of an environment that are due: organisations take turns, and what waits longest comes first. */
export async function claimDue(runtime: Runtime, environment: Environment): Promise<readonly ClaimedSwap[]> {
  const { rows } = await runtime.pool.query<{
    id: string
    organisation_id: string
    deposit_address: string
    from_currency: Currency
    poll_seconds: number
  }>(
    `with due as (${dueInTurns('swaps')} limit $2 for update of p skip locked)
     update swaps s set next_poll_at = now() + make_interval(secs => $3) from due where s.id = due.id
     returning s.id, s.organisation_id, s.deposit_address, s.from_currency, s.poll_seconds`,
    [environment, BATCH, LOST_SECONDS],
  )
  return rows.map((row) => ({
    id: row.id,
    organisationId: row.organisation_id,
    environment,
    depositAddress: row.deposit_address,
    currency: row.from_currency,
    pollSeconds: row.poll_seconds,
  }))
}

/** Processes one batch of an environment. Returns its size. */
async function processDue(runtime: Runtime, environment: Environment): Promise<number> {
  const provider = runtime.providers.find(swapsProvider, environment)
  if (!provider) return 0
  const claimed = await claimDue(runtime, environment)
  if (claimed.length === 0) return 0
  let reports: readonly (DepositReport | Error)[]
  try {
    reports = await provider.deposits(claimed)
  } catch (error) {
    await Promise.all(claimed.map((swap) => fail(runtime, swap, error)))
    return 0
  }
  const queue = claimed.map((swap, index) => ({ swap, report: reports[index] }))
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { swap, report } = next
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

async function fail(runtime: Runtime, swap: ClaimedSwap, error: unknown): Promise<void> {
  if (runtime.database.report(error)) return
  runtime.log.warn({ err: error, swap: swap.id }, 'swap not processed')
  await recordFailure(runtime, swap, error)
}

/** Processes the swaps that are due, in every worker at once. */
export const pollTask: Task = {
  name: POLL,
  intervalMs: 1000,
  runsIn: 'every-process',
  async run(runtime) {
    const sizes = await Promise.all(environments.map((environment) => processDue(runtime, environment)))
    return sizes.includes(BATCH)
  },
}
