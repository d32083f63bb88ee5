import { environments, job, type Loop, type Runtime } from '@payments/kernel'
import { z } from 'zod'
import { type Claimed, claim } from './allowance.ts'
import { watch } from './deposits.ts'
import { routesProvider } from './provider.ts'
import { POLL } from './schedule.ts'

/** Looks at one route. A failed look is not retried by the queue: the next poll comes anyway. */
export const watchJob = job({
  name: 'routes.watch',
  data: z.object({ id: z.uuid(), organisationId: z.uuid(), environment: z.enum(environments) }),
  queue: { retryLimit: 0, policy: 'short', expireInSeconds: 60 },
  work: { localConcurrency: 4 },
  async run(runtime, route) {
    await watch(runtime, route)
  },
})

/**
 * One round: two statements, whatever the number of routes, and as many looks as the provider allows by now.
 * `docs/decisions/payment-route-polling.md` explains the schedule.
 */
export async function pollOnce(runtime: Runtime): Promise<readonly Claimed[]> {
  const due: Claimed[] = []
  for (const environment of environments) {
    const provider = runtime.providers.find(routesProvider, environment)
    if (provider) due.push(...(await claim(runtime.pool, environment, provider.callsPerMinute)))
  }
  if (due.length > 0) {
    await runtime.boss.insert(
      watchJob.name,
      due.map((route) => ({ data: route, singletonKey: route.id })),
    )
  }
  return due
}

/** Sends a job for each route whose look is due. */
export const pollLoop: Loop = {
  name: POLL,
  everyMs: 1000,
  async run(runtime) {
    await pollOnce(runtime)
    return false
  },
}
