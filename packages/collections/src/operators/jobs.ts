import { noInput } from '@payments/kernel'
import { job, type UnitOfWork } from '@payments/platform'
import { applyDue, moveClock, nextChange } from '../collections/expiry.ts'

/** Every minute: expires sessions and collections, and makes invoices overdue. */
export const dueChanges = job({
  name: 'collections.due',
  data: noInput,
  schedule: { everyMinutes: 1 },
  due: nextChange,
  queue: { policy: 'short', expireInSeconds: 600 },
  run: (runtime, _data, signal) => applyDue(runtime, signal),
})

/** Moves the sandbox clock: what falls due by it happens at once, not with the next minute. */
export async function advance(unit: UnitOfWork, seconds: number): Promise<void> {
  await moveClock(unit, seconds)
  await unit.enqueue(dueChanges, {})
}
