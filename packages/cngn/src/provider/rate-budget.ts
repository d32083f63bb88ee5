import type { Carried, Environment } from '@payments/kernel'
import { type BudgetedCall, pauseCalls, type QueryContext, secondsUntilFree, takeCall } from '@payments/platform'
import { errors } from '../errors.ts'
import { treasuryName, treasuryProvider } from './holder.ts'
import type { CallBudget } from './provider.ts'

/**
 * What a call is for. `request`: a merchant waits for it. `send`: money that leaves. `poll`: lists, single movements and the treasury,
 * on which everything else depends.
 */
export type Purpose = 'request' | 'send' | 'poll'

/** How much of the limit one organisation may use, and all sends and requests together: the rest is for polls. Percent. */
const SHARES = { request: 25, send: 50, allButPolls: 80 } as const

const callOf = (
  { actor }: { readonly actor?: QueryContext['actor'] | undefined },
  treasury: Carried,
  perMinute: number,
  purpose: Purpose,
): BudgetedCall => ({
  ...treasury,
  bucket: 'calls',
  perMinute,
  purpose: purpose === 'request' ? 'new' : 'in_flight',
  shares:
    purpose === 'poll'
      ? []
      : [
          { id: 'all_but_polls', percent: SHARES.allButPolls },
          ...(actor ? [{ id: actor.organisationId, percent: SHARES[purpose] }] : []),
        ],
})

type Caller = Pick<QueryContext, 'runtime'> & { readonly actor?: QueryContext['actor'] }

/** The calls of the environment's provider that a request or task may make; without a limit, any number. */
export function budgetOf(context: Caller, environment: Environment, purpose: Purpose = 'request'): CallBudget {
  const { pool } = context.runtime
  const name = treasuryName(context.runtime, environment)
  const callsPerMinute = name === '' ? null : treasuryProvider(context.runtime, environment).callsPerMinute
  return {
    async take() {
      if (callsPerMinute === null) return
      const wait = await takeCall(pool, callOf(context, { provider: name, environment }, callsPerMinute, purpose))
      if (wait > 0) throw errors.cngn_provider_busy({ retryAfter: wait })
    },
    silence: (seconds) => pauseCalls(pool, { provider: name, bucket: 'calls', environment, seconds }),
  }
}

/** Can a task make such a call now, for any organisation? Nothing is claimed while it cannot: it would only be postponed. */
export async function isFree(
  runtime: Pick<QueryContext['runtime'], 'pool' | 'providers'>,
  environment: Environment,
  purpose: Purpose,
): Promise<boolean> {
  const { name: provider, callsPerMinute } = treasuryProvider(runtime, environment)
  return (
    callsPerMinute === null ||
    (await secondsUntilFree(runtime.pool, callOf({}, { provider, environment }, callsPerMinute, purpose))) === 0
  )
}
