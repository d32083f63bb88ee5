import { setTimeout as sleep } from 'node:timers/promises'
import type { EventReceiver } from '@payments/stand'
import { askForCode, call, dataOf, type Mailbox, rows, type StandDatabase } from '@payments/stand'
import type { Attacker } from './attacks.ts'
import { measure, type Neighbour } from './neighbours.ts'

/** What the scenes use: the organisation that misbehaves, and those beside it. */
export interface Parties {
  readonly database: StandDatabase
  readonly attacker: Attacker
  readonly neighbours: readonly Neighbour[]
  readonly receiver: EventReceiver
  readonly mailbox: Mailbox
  /** Attempts that the silent receiver has seen at the path of the attacker's endpoint. */
  attempts(): number
  /** Pending deliveries of one endpoint. */
  readonly pending: number
}

/** How long the webhooks of others may take beside each scene, and a request of the organisation itself, ms. */
const ARRIVAL_MS = 8000
const REQUEST_MS = 5000

/**
 * Attacks that were once possible, each judged by itself in every size: an endpoint with many pending deliveries is disabled, one
 * recovery asks for more than a public host may get, a clock is moved without pause, and a mail server is slow.
 */
export async function play(parties: Parties): Promise<{ findings: string[]; figures: Record<string, number> }> {
  const findings: string[] = []
  const figures: Record<string, number> = {}
  const scene = async (name: string, work: () => Promise<unknown>, most: number) => {
    const started = performance.now()
    try {
      await work()
    } catch (error) {
      findings.push(`${name}: ${(error as Error).message}`)
    }
    const took = Math.round(performance.now() - started)
    figures[name] = took
    if (took > most) findings.push(`${name}: ${took} ms, at most ${most} allowed`)
  }
  const slowest = (name: string, beside: () => Promise<unknown>) =>
    scene(
      name,
      async () => {
        const [measured] = await Promise.all([measure(parties.neighbours, parties.receiver, 3), beside()])
        findings.push(...measured.failures.map((failure) => `${name}: ${failure}`))
        const arrivals = measured.times.get('a webhook, after its commit') ?? []
        const worst = Math.max(...arrivals)
        if (arrivals.length === 0 || worst > ARRIVAL_MS)
          findings.push(`${name}: a webhook of another organisation took ${Math.round(worst)} ms`)
      },
      60_000,
    )

  await slowest('moving the sandbox clock without pause', async () => {
    const until = performance.now() + 3000
    while (performance.now() < until) await send(parties.attacker, 'POST /v1/sandbox/advance', { seconds: 1 })
  })
  await recovery(parties, findings)
  await fill(parties)
  await slowest('disabling an endpoint with many pending deliveries', () =>
    scene(
      'the request that disables it',
      () => send(parties.attacker, `PATCH /v1/webhooks/${parties.attacker.endpointId}`, { status: 'disabled' }),
      REQUEST_MS,
    ),
  )
  await scene('the end of its pending deliveries', () => drained(parties), 60_000)
  await scene('a code beside 40 emails to a slow mail server', () => mail(parties), 15_000)
  return { findings, figures }
}

const send = (attacker: Attacker, line: string, body: object): Promise<unknown> =>
  dataOf(line, call(attacker, line, { token: attacker.key, body }))

/** An endpoint that never answered gets ten attempts a minute, whatever was asked for. */
async function recovery({ attacker, attempts }: Parties, findings: string[]): Promise<void> {
  const before = attempts()
  for (let times = 0; times < 2; times++)
    await call(attacker, `POST /v1/webhooks/${attacker.endpointId}/recover`, {
      ...{ token: attacker.key, body: { since: '2026-01-01T00:00:00Z' } },
    })
  await sleep(3000)
  const made = attempts() - before
  if (made > 10) findings.push(`a recovery made ${made} attempts at a host that never answered, in three seconds`)
}

async function fill({ database, attacker, pending }: Parties): Promise<void> {
  for (let left = pending; left > 0; left -= 20_000)
    await rows(
      database,
      `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
       select gen_random_uuid(), w.organisation_id, w.environment, w.id, e.id, e.type, 'pending', now(), now() + interval '1 day', now(), now()
         from webhook_endpoints w
         cross join lateral (select id, type from events where organisation_id = w.organisation_id order by id limit 1) e, generate_series(1, $2::int)
        where w.id = $1`,
      [attacker.endpointId, Math.min(left, 20_000)],
    )
}

async function drained({ database, attacker }: Parties): Promise<void> {
  for (;;) {
    const [left] = await rows<{ n: number }>(
      database,
      `select count(*)::int as n from webhook_deliveries where endpoint_id = $1 and status = 'pending' and claim is null`,
      [attacker.endpointId],
    )
    if (left?.n === 0) return
    await sleep(500)
  }
}

/** The queued emails are copies of a code's, with the priority of others. */
async function mail({ database, attacker, mailbox }: Parties): Promise<void> {
  const ask = (email: string) => askForCode(attacker, mailbox, { email, organisationName: 'Mail' })
  await ask('first@example.com')
  mailbox.faults.delayMs = 1000
  try {
    await rows(
      database,
      `insert into pgboss.job (name, data, priority, group_id, expire_seconds, retry_limit, retry_delay, retry_backoff)
       select j.name, j.data, 0, 'other', j.expire_seconds, 0, 1, false
         from (select * from pgboss.job where name = 'accounts.mail' order by created_on desc limit 1) j, generate_series(1, 40)`,
    )
    await sleep(1500)
    await ask('second@example.com')
  } finally {
    mailbox.faults.delayMs = 0
  }
}
