import { checkLedger } from '@payments/ledger'
import { routes } from '@payments/routes'
import { expect } from 'vitest'
import { connected, type Merchant, type TestService } from '#testing'

const pollTask = routes.work?.tasks?.[0]

/** Polls the hidden routes of a merchant once, in this process, and no others: each call begins with a poller of its own. */
export async function poll(service: TestService, { organisationId }: Merchant): Promise<void> {
  const { pool } = service.runtime
  await pool.query(
    `update payment_route_polls
        set next_poll_at = now() + case organisation_id when $1 then interval '-1 second' else interval '1 hour' end
      where id in (select id from payment_routes where hidden)`,
    [organisationId],
  )
  for (let due = 1; due > 0; ) {
    const own = { ...service.runtime }
    await pollTask?.run(own)
    await pollTask?.stop?.(own)
    const { rows } = await pool.query<{ due: number }>(
      'select count(*)::int as due from payment_route_polls where next_poll_at <= now() and id in (select id from payment_routes where hidden)',
    )
    due = rows[0]?.due ?? 0
  }
}

/** What was paid to a merchant is received, then settled by the sandbox, and both are applied. */
export async function settle(service: TestService, merchant: Merchant): Promise<void> {
  await poll(service, merchant)
  await service.runtime.pool.query(
    "update sandbox_relay_requests set settles_at = date_trunc('milliseconds', now()) where settles_at > now()",
  )
  await poll(service, merchant)
}

/** A session as the merchant sees it. */
export const getSession = async (merchant: Merchant, id: string) =>
  (await merchant.call(`GET /v1/collections/${id}`)).body.data

/** The events of a tenant's collections, oldest first: `type previous>status`. */
export async function eventsOf(service: TestService, { organisationId }: Merchant): Promise<string[]> {
  const { rows } = await service.runtime.pool.query<{ change: string }>(
    `select (payload->'data'->>'type') || ' ' || coalesce(payload->'data'->>'previousStatus', '') || '>' || (payload->'data'->>'status') as change
       from events where organisation_id = $1 and type like 'collection.%' order by created_at, id`,
    [organisationId],
  )
  return rows.map(({ change }) => change)
}

export const inOrder = async (service: TestService) => expect((await checkLedger(service.runtime)).findings).toEqual([])

/** How many transactions of the database were aborted by a deadlock, also those that were run again. */
export async function deadlocks({ runtime }: TestService): Promise<number> {
  const { rows } = await runtime.pool.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  return rows[0]?.deadlocks ?? 0
}

/** Starts changes while another transaction holds a row, releases it, and waits for all of them. Returns their results. */
export async function whileLocked<Changes extends readonly Promise<unknown>[]>(
  service: TestService,
  { table, id }: { readonly table: string; readonly id: string },
  start: () => Promise<Changes>,
) {
  const holder = await connected(service)
  try {
    await holder.query('begin')
    await holder.query(`select from ${table} where id = $1 for update`, [id])
    const changes = await start()
    await holder.query('commit')
    return await Promise.all(changes)
  } finally {
    await holder.end()
  }
}
