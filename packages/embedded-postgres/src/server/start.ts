import { setTimeout as sleep } from 'node:timers/promises'
import { type Launch, launch, readyPostmaster } from './launch.ts'
import type { Postmaster } from './postmaster.ts'

/** A failing start is retried for this long and at least this often, so that a restart that cannot succeed is reported within 5 s. */
const RETRY_MS = 2500
const RETRY_PAUSE_MS = 200
const MIN_ATTEMPTS = 3

/**
 * Returns the server that already runs on the data directory, or starts a new one. A failed start is retried for a short
 * time: processes of a killed server may still hold its shared memory, and a service that starts at the same time may hold
 * the lock file.
 */
export async function startPostmaster(options: Launch, choosePort: () => Promise<number>): Promise<Postmaster> {
  const since = Date.now()
  for (let attempt = 1; ; attempt++) {
    try {
      options.signal.throwIfAborted()
      return (await readyPostmaster(options)) ?? (await launch(options, await choosePort()))
    } catch (error) {
      if (options.signal.aborted || (attempt >= MIN_ATTEMPTS && Date.now() - since > RETRY_MS)) throw error
      await sleep(RETRY_PAUSE_MS)
    }
  }
}
