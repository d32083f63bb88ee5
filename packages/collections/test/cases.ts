import { expect } from 'vitest'
import { act, type Merchant, newCollection, type paySession, type TestService } from '#testing'
import { sessionMachine } from '../src/states.ts'
import { inOrder } from './sessions.ts'

type Payment = NonNullable<Parameters<typeof paySession>[2]>

/** How a session of 25 USDC is paid, and how it must end. Payments of one step are sent at the same time. */
export const cases: readonly {
  readonly steps: readonly (readonly Payment[])[]
  readonly end: string
  readonly received: string
}[] = [
  { steps: [[{}]], end: 'paid', received: '25' },
  { steps: [[{ amount: '24.9' }]], end: 'paid', received: '24.9' },
  { steps: [[{ amount: '10' }], [{ amount: '15' }]], end: 'paid', received: '25' },
  { steps: [[{ amount: '31' }]], end: 'paid', received: '31' },
  { steps: [[{ outcome: 'refunded' }]], end: 'returned', received: '0' },
  { steps: [[{ outcome: 'failed' }]], end: 'failed', received: '0' },
  { steps: [[{ amount: '12.5' }, { amount: '12.5' }]], end: 'paid', received: '25' },
  { steps: [[{ amount: '4' }]], end: 'underpaid', received: '4' },
]

export interface Started {
  readonly id: string
  readonly parentId: string
  readonly number: number
}

export const caseOf = ({ number }: Pick<Started, 'number'>) => cases[number % cases.length] as (typeof cases)[number]

/** A client address may have no more sessions of one link. */
const SESSIONS_PER_LINK = 5

/** Links for so many sessions. */
export const linksFor = (merchant: Merchant, sessions: number): Promise<{ id: string }[]> =>
  inWaves(Math.ceil(sessions / SESSIONS_PER_LINK), () => newCollection(merchant))

/** Starts sessions of the links at the same time. */
export function startAll(service: TestService, links: readonly { id: string }[], count: number): Promise<Started[]> {
  return inWaves(count, async (number) => {
    const { id } = links[Math.floor(number / SESSIONS_PER_LINK)] as { id: string }
    for (;;) {
      const { status, body } = await act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
      if (status === 200) return { id: body.data.id as string, parentId: id, number }
      // A connection was cut: the payer tries again.
      expect([500, 503]).toContain(status)
    }
  })
}

/** Runs tasks with at most 16 at the same time. */
export async function inWaves<T>(count: number, run: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const work = async () => {
    for (let number = next++; number < count; number = next++) results[number] = await run(number)
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return results
}

/** The payments of one step arrive; a request that fails is not repeated before it is known to have done nothing. */
export async function payStep(merchant: Merchant, session: Started, step: number): Promise<void> {
  for (const [index, payment] of (caseOf(session).steps[step] ?? []).entries()) {
    const key = `${session.id} ${step} ${index}`
    for (;;) {
      const line = `POST /v1/sandbox/checkout-sessions/${session.id}/payments`
      const { status } = await merchant.call(line, { body: payment, key })
      if (status === 201) break
      expect([409, 500, 503]).toContain(status)
    }
  }
}

interface Event {
  readonly id: string
  readonly from: string | null
  readonly to: string
}

/** Every session ended as its case says: once, with one transaction, legal events, and a journal that agrees. */
export async function expectAllEnded(
  service: TestService,
  merchant: Merchant,
  sessions: readonly Started[],
): Promise<void> {
  const { pool } = service.runtime
  const { rows } = await pool.query<{ id: string; status: string; received: string; payments: number }>(
    'select id, status, received_amount::text as received, jsonb_array_length(payments) as payments from checkout_sessions where organisation_id = $1',
    [merchant.organisationId],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const session of sessions) {
    const { end, received, steps } = caseOf(session)
    const row = byId.get(session.id)
    expect([session.number, row?.status, Number(row?.received) / 1e6, row?.payments]).toEqual([
      session.number,
      end,
      Number(received),
      steps.flat().length,
    ])
  }
  await expectLegalEvents(service, merchant, sessions)
  const { rows: listed } = await pool.query<{ kind: string; count: number }>(
    'select kind, count(*)::int as count from transactions where organisation_id = $1 group by kind',
    [merchant.organisationId],
  )
  expect(listed).toEqual([{ kind: 'collection', count: sessions.length }])
  // Each of them: what is refunded without an address of the payer's or the merchant's comes back to the service, and is owed.
  const ended = sessions.flatMap((session) => caseOf(session).steps.flat())
  const { rows: entries } = await pool.query(
    'select count(*)::int as count from ledger_entries where organisation_id = $1',
    [merchant.organisationId],
  )
  expect(entries).toEqual([{ count: ended.length }])
  const { rows: counted } = await pool.query<{ paid: number; received: string }>(
    'select sum(payments_count)::int as paid, sum(received_amount)::text as received from collections where organisation_id = $1',
    [merchant.organisationId],
  )
  const total = sessions.reduce((sum, session) => sum + Number(caseOf(session).received), 0)
  expect(counted[0]?.paid).toBe(sessions.filter((session) => caseOf(session).end === 'paid').length)
  expect(Number(counted[0]?.received) / 1e6).toBeCloseTo(total, 6)
  expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(sessions.length)
  await inOrder(service)
}

/** The events of each session follow the state table from its start, without a gap and without one twice. */
async function expectLegalEvents(
  service: TestService,
  { organisationId }: Merchant,
  sessions: readonly Started[],
): Promise<void> {
  const { rows } = await service.runtime.pool.query<Event>(
    `select resource_id as id, payload->'data'->>'previousStatus' as from, payload->'data'->>'status' as to
       from events where organisation_id = $1 and type like 'collection.%' and payload->'data'->>'type' = 'session'
      order by payload->'data'->>'updatedAt'`,
    [organisationId],
  )
  const byId = Map.groupBy(rows, ({ id }) => id)
  expect(byId.size).toBe(sessions.length)
  for (const events of byId.values()) {
    expect(events[0]).toMatchObject({ from: null, to: sessionMachine.initial })
    for (const [index, { from, to }] of events.slice(1).entries()) {
      expect(from).toBe(events[index]?.to)
      expect(sessionMachine.edges).toContain(`${from}>${to}`)
    }
  }
}
