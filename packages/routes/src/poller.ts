import { environments } from '@payments/kernel'
import { type Runtime, type Slots, slotsTask } from '@payments/platform'
import { poll } from './deposits.ts'
import { routesProvider } from './provider.ts'
import { type ClaimedRoute, claimDueRoutes } from './rate-budget.ts'
import { POLL } from './schedule.ts'

/** Routes that one process polls at the same time. */
const SLOTS = 8

/** Claims due routes of both environments, at most `room` of them and as many as the providers' rate budgets allow now. */
export async function claimRound(runtime: Runtime, room: number): Promise<readonly ClaimedRoute[]> {
  const claimed: ClaimedRoute[] = []
  for (const environment of environments) {
    const provider = runtime.providers.find(routesProvider, environment)
    const left = room - claimed.length
    if (provider && left > 0)
      claimed.push(...(await claimDueRoutes(runtime.pool, environment, provider.callsPerMinute, left)))
  }
  return claimed
}

/** Keeps the slots of a process filled with due routes. A poll that fails is not repeated: its route is due again soon. */
function createPoller(runtime: Runtime): Slots {
  const inFlight = new Set<Promise<void>>()
  let stopping = false
  return {
    async fill() {
      const room = SLOTS - inFlight.size
      if (room <= 0 || stopping) return
      for (const route of await claimRound(runtime, room)) {
        const polling = poll(runtime, route)
          .then(
            () => undefined,
            (error: unknown) => {
              if (!runtime.database.report(error))
                runtime.log.warn({ err: error, paymentRoute: route.id }, 'poll failed')
            },
          )
          .finally(() => {
            // A full process claims again as soon as it has room, not with the next second.
            if (inFlight.size === SLOTS) runtime.trigger(POLL)
            inFlight.delete(polling)
          })
        inFlight.add(polling)
      }
    },
    async stop() {
      stopping = true
      await Promise.all(inFlight)
    },
  }
}

/** Polls the routes that are due, in every worker at once. `docs/decisions/payment-route-polling.md` explains the schedule. */
export const pollTask = slotsTask(POLL, createPoller)
