import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess } from '@payments/stand'
import { rows, type StandDatabase } from '@payments/stand'
import type { Member } from './stand.ts'

/** What a process claims before it works on it, and how the claim looks when the process has been dead for long enough. */
const CLAIMS = [
  'update idempotency_keys set expires_at = now() where reply is null',
  "update pgboss.job set state = 'retry', start_after = now() where state in ('active', 'retry')",
  'update cngn_sends set next_send_at = now() - make_interval(secs => 1) where next_send_at > now()',
  "update cngn_sends set sent_at = sent_at - interval '10 seconds' where sent_at is not null and reference is null",
  'update webhook_deliveries set due_at = now() - make_interval(secs => 1) where claim is not null',
  "update webhook_queues set due_at = now() - make_interval(secs => 1) where due_at < 'infinity'",
  'update payment_route_polls set next_poll_at = least(next_poll_at, now())',
  'update swap_polls set next_poll_at = least(next_poll_at, now())',
  'update fiat_polls set next_poll_at = least(next_poll_at, now())',
  'update cngn_feeds set next_poll_at = least(next_poll_at, now())',
]

/**
 * What a killed process had claimed is free again after 30 to 75 seconds. The short form does not wait for that: it stops all
 * processes, so that every claim is one of a dead process, lets the claims end, and starts the processes again.
 */
export async function endClaims(database: StandDatabase, processes: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(processes.map((each) => each.stop()))
  for (const statement of CLAIMS) await rows(database, statement)
  for (const each of processes) each.start()
  await Promise.all(processes.map((each) => each.ready()))
}

/** Moves the clock of the sandbox until the work has ended, or its time: what is not final then is the finding of the work itself. */
export async function hurry(work: Promise<unknown>, members: readonly Member[], deadline: () => number): Promise<void> {
  let ended = false
  const end = work.finally(() => {
    ended = true
  })
  while (!ended && Date.now() < deadline()) {
    try {
      await Promise.all(members.map((each) => each.command('POST /v1/sandbox/advance', { seconds: 20 })))
    } catch (error) {
      if (Date.now() < deadline()) throw error
    }
    await Promise.race([end, sleep(1000)])
  }
}
