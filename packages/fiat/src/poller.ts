import { environments } from '@payments/kernel'
import { type Runtime, type Slots, slotsTask } from '@payments/platform'
import { poll } from './polls.ts'
import { fiatProvider } from './provider.ts'
import { type ClaimedOrder, claimDueOrders } from './rate-budget.ts'
import { POLL } from './schedule.ts'

/** Orders that one process polls at the same time. */
const SLOTS = 8

/** Claims due orders of both environments, at most `room` of them and as many as the providers' rate budgets allow now. */
async function claimRound(runtime: Runtime, room: number): Promise<readonly ClaimedOrder[]> {
  const claimed: ClaimedOrder[] = []
  for (const environment of environments) {
    const provider = runtime.providers.find(fiatProvider, environment)
    const left = room - claimed.length
    if (provider && left > 0)
      claimed.push(...(await claimDueOrders(runtime.pool, environment, provider.callsPerMinute, left)))
  }
  return claimed
}

/** Keeps the slots of a process filled with due orders. A poll that fails is not repeated: its order is due again soon. */
function createPoller(runtime: Runtime): Slots {
  const inFlight = new Set<Promise<void>>()
  let stopping = false
  /** The last claim found something, so more may be due. */
  let more = false
  return {
    async fill() {
      const room = SLOTS - inFlight.size
      if (room <= 0 || stopping) return
      const claimed = await claimRound(runtime, room)
      more = claimed.length > 0
      for (const order of claimed) {
        const polling = poll(runtime, order)
          .catch((error: unknown) => {
            if (!runtime.database.report(error)) runtime.log.warn({ err: error, order: order.id }, 'poll failed')
          })
          .finally(() => {
            inFlight.delete(polling)
            // Claims again as soon as there is room, not with the next second.
            if (more && !stopping) runtime.trigger(POLL)
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

/** Polls the orders that are due, in every worker at once. `docs/decisions/local-fiat.md` explains the schedule. */
export const pollTask = slotsTask(POLL, createPoller)
