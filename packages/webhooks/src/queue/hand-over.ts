import type { Runtime } from '@payments/platform'
import type { DeliveryAttempt } from './queue.ts'

/** Deliveries of one fan-out that a process sends at once, of all organisations and of one. */
const MOST = 50
const MOST_OF_ONE = 10

/** What the process that fans out may claim for itself. */
export interface Room {
  readonly deliveries: number
  readonly ofOrganisation: number
  /** Organisations that occupy so many slots of the process that their deliveries wait for a claim. */
  readonly busy: readonly string[]
}

/** The process that sends deliveries, as a fan-out in the same process sees it. */
interface Sender {
  /** Free slots beyond those that are kept for claims. */
  free(): number
  /** Attempts in flight, by organisation. */
  readonly inFlight: ReadonlyMap<string, { readonly all: number }>
  /** Attempts what was claimed. */
  start(claimed: readonly DeliveryAttempt[]): void
}

const senders = new WeakMap<Runtime, Sender>()

/** Deliveries that a fan-out in this process has claimed are sent by `sender`; undefined: by none any more. */
export function sendBy(runtime: Runtime, sender: Sender | undefined): void {
  if (sender) senders.set(runtime, sender)
  else senders.delete(runtime)
}

/** What a fan-out of this process may claim now. An organisation gets slots only while it occupies no more than stay free. */
export function roomOf(runtime: Runtime): Room {
  const sender = senders.get(runtime)
  const deliveries = Math.max(0, Math.min(MOST, sender?.free() ?? 0))
  const busy = [...(sender?.inFlight ?? [])].flatMap(([id, { all }]) => (all > MOST_OF_ONE ? [id] : []))
  return { deliveries, ofOrganisation: MOST_OF_ONE, busy }
}

/** Sends what a fan-out has claimed, once it is committed. Without a sender the claims lapse, and the deliveries are claimed again. */
export const handOver = (runtime: Runtime, claimed: readonly DeliveryAttempt[]): void =>
  senders.get(runtime)?.start(claimed)
