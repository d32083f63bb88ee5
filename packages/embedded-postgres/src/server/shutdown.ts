import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedServerError } from '../error.ts'
import { findOrphans, isPostmaster, sendSignal } from './postmaster.ts'

/** An immediate shutdown kills processes that do not end within 5 s; this limit leaves enough time for that. */
const IMMEDIATE_SECONDS = 10
const KILL_SECONDS = 5
const ORPHANS_SECONDS = 1

/**
 * Stops a server within `seconds` plus 16 s, whatever its processes do. First a fast shutdown, which rolls back the clients'
 * transactions; then an immediate one, after which the next start recovers from the log. Neither loses a committed
 * transaction.
 */
export async function shutDown(pid: number, data: string, seconds: number): Promise<void> {
  const steps = [
    ['SIGINT', seconds],
    ['SIGQUIT', IMMEDIATE_SECONDS],
    ['SIGKILL', KILL_SECONDS],
  ] as const
  for (const [signal, limit] of steps) {
    if (!isPostmaster(pid, data)) break
    sendSignal(pid, signal)
    await waitForEnd(pid, data, limit)
  }
  if (isPostmaster(pid, data)) throw new EmbeddedServerError(`The database in ${data} does not stop (process ${pid})`)
  await killOrphans(data)
}

/**
 * Kills the processes whose postmaster has died. A busy process does not notice that until its statement ends, and as long
 * as it runs, its shared memory prevents a new server from starting.
 */
export async function killOrphans(data: string): Promise<void> {
  for (const deadline = Date.now() + ORPHANS_SECONDS * 1000; Date.now() < deadline; await sleep(10)) {
    const orphans = findOrphans(data)
    if (orphans.length === 0) return
    for (const pid of orphans) sendSignal(pid, 'SIGKILL')
  }
}

async function waitForEnd(pid: number, data: string, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (isPostmaster(pid, data) && Date.now() < deadline) await sleep(20)
}
