import { setTimeout as sleep } from 'node:timers/promises'
import type { EventReceiver } from '@payments/stand'
import { rows, type StandDatabase } from '@payments/stand'
import { type CrashStand, type Member, timeline } from './stand.ts'

interface Event {
  readonly id: string
  readonly type: string
  readonly resource_id: string
  readonly payload: string
}

/** Every event of the organisations is at the receiver: at least once, in full, under one id. Waits for retries. */
export async function checkArrivals(
  stand: CrashStand,
  database: StandDatabase,
  receiver: EventReceiver,
  members: readonly Member[],
): Promise<{ events: number; deliveries: number; endedObjects: number }> {
  let events: Event[] = []
  let missing: Event[] = []
  let advancedAt = Date.now()
  for (; Date.now() < stand.deadline(); await sleep(300)) {
    const optIn = await optInTypes(members)
    events = (
      await rows<Event>(
        database,
        'select id, type, resource_id, payload::text from events where organisation_id = any ($1)',
        [members.map(({ organisationId }) => organisationId)],
      )
    ).filter(({ type }) => !optIn.has(type))
    missing = events.filter(({ id }) => !receiver.bodies.has(id))
    const [open] = await rows<{ count: number }>(
      database,
      "select count(*)::int as count from webhook_deliveries where status = 'pending'",
    )
    if (missing.length === 0 && open?.count === 0) break
    // Retries of deliveries that failed come sooner by the sandbox's clock.
    if (Date.now() - advancedAt > 2000) {
      advancedAt = Date.now()
      for (const each of members) await each.command('POST /v1/sandbox/advance', { seconds: 60 })
    }
  }
  for (const { id, type, resource_id } of missing) {
    const own = members[0] as Member
    stand.findings.push(`event ${id} (${type}) did not arrive\n${await timeline(stand, own.key, resource_id)}`)
  }
  for (const { id, type, payload } of events) {
    const bodies = receiver.bodies.get(id)
    if (bodies && (bodies.size !== 1 || !bodies.has(payload)))
      stand.findings.push(
        `event ${id} (${type}) arrived with another body than ${payload}: ${[...bodies].join(' and ')}`,
      )
  }
  const known = new Set(events.map(({ id }) => id))
  for (const id of receiver.bodies.keys())
    if (!known.has(id)) stand.findings.push(`event ${id} arrived and is not in the list of events`)
  for (const id of receiver.forged)
    stand.findings.push(`event ${id} arrived with a signature that its secret did not make`)
  return {
    events: events.length,
    deliveries: receiver.deliveries(),
    endedObjects: members.reduce((sum, { ended }) => sum + ended.size, 0),
  }
}

async function optInTypes([first]: readonly Member[]): Promise<ReadonlySet<string>> {
  const { eventTypes } = await (first as Member).read('/v1/webhooks/event-types')
  return new Set(eventTypes.filter(({ optIn }: { optIn: boolean }) => optIn).map(({ type }: { type: string }) => type))
}
