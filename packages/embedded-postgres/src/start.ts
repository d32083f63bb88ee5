import { setTimeout as sleep } from 'node:timers/promises'
import { type Launch, launch, readyPostmaster } from './launch.ts'
import type { Postmaster } from './postmaster.ts'

/** How long and how often a failing start is tried again, so that a restart that cannot work is reported within 5 s. */
const RETRY_MS = 2500
const RETRY_PAUSE_MS = 200
const MIN_ATTEMPTS = 3

/**
 * The server that already runs on the data directory, or else a new one. A failed start is tried again for a moment: processes of
 * a killed server may still hold its shared memory, and a service that starts at the same time may hold the lock file.
 */
export async function startPostmaster(task: Launch, choosePort: () => Promise<number>): Promise<Postmaster> {
  const since = Date.now()
  for (let attempt = 1; ; attempt++) {
    try {
      task.signal.throwIfAborted()
      return (await readyPostmaster(task)) ?? (await launch(task, await choosePort()))
    } catch (error) {
      if (task.signal.aborted || (attempt >= MIN_ATTEMPTS && Date.now() - since > RETRY_MS)) throw error
      await sleep(RETRY_PAUSE_MS)
    }
  }
}
