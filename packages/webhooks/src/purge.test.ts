import { firstIdOf, newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { newMerchant, startService } from '#testing'
import { purge } from './purge.ts'

const DAY = 86_400_000
let made = 0
/** An id of so many days ago, different each time. */
const idOf = (days: number) =>
  firstIdOf(new Date(Date.now() - days * DAY)).slice(0, -6) + String(++made).padStart(6, '0')

test('old deliveries that ended and old events without deliveries are deleted; what must still be sent stays', async () => {
  const service = await startService({ settings: { RETENTION_EVENTS_DAYS: '60', RETENTION_DELIVERIES_DAYS: '20' } })
  try {
    const { pool } = service.runtime
    const merchant = await newMerchant(service)
    const { body } = await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.test/hooks' } })
    const event = async (days: number, drained = true) => {
      const id = idOf(days)
      await pool.query(
        `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
         values ($1, $2, 'test', 'payment_route.created', $3, '{}', now() - make_interval(days => $4), case when $5 then now() end)`,
        [id, merchant.organisationId, newId(), days, drained],
      )
      return id
    }
    const delivery = async (eventId: string, days: number, ended = true) => {
      const id = idOf(days)
      await pool.query(
        `insert into webhook_deliveries (id, organisation_id, environment, endpoint_id, event_id, event_type, status, next_attempt_at, due_at, created_at, updated_at)
         values ($1, $2, 'test', $3, $4, 'payment_route.created', 'pending', now(), now(), now() - make_interval(days => $5), now())`,
        [id, merchant.organisationId, body.data.id, eventId, days],
      )
      if (ended)
        await pool.query("update webhook_deliveries set status = 'delivered', due_at = null where id = $1", [id])
      return id
    }
    const [young, old, undrained, retried] = [await event(59), await event(61), await event(61, false), await event(61)]
    const delivered = await delivery(young, 21)
    const recent = await delivery(young, 19)
    const pending = await delivery(retried, 21, false)
    await purge.run(service.runtime, {}, new AbortController().signal)
    const left = async (table: string, ids: string[]) =>
      (await pool.query(`select id from ${table} where id = any($1)`, [ids])).rows.map(({ id }) => id).sort()
    expect(await left('webhook_deliveries', [delivered, recent, pending])).toEqual([pending, recent].sort())
    expect(await left('events', [young, old, undrained, retried])).toEqual([young, undrained, retried].sort())
  } finally {
    await service.stop()
  }
})

test('events cannot be kept for a shorter time than their deliveries', async () => {
  await expect(startService({ settings: { RETENTION_EVENTS_DAYS: '10' } })).rejects.toThrow(
    'RETENTION_DELIVERIES_DAYS: must be at most RETENTION_EVENTS_DAYS',
  )
})
