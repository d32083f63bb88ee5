import type { Actor } from '@payments/kernel'
import { prepared } from '../database/connections/client.ts'
import { grouped } from '../database/shared/grouped.ts'
import { sqlOf } from '../database/sql.ts'
import type { InsertInto, NewRow } from '../database/written.ts'
import type { EncryptedColumn } from '../settings/secrets.ts'
import type { Runtime, UnitOfWork } from './context/context.ts'
import type { Reply } from './reply.ts'

/** Requests with the same tenant, method, path and key are duplicates, also when their bodies differ (specification, Limits). */
export interface IdempotencyKey {
  readonly actor: Actor
  readonly method: string
  readonly path: string
  readonly key: string
}

/** The columns of a stored reply. */
export interface StoredReplyRow {
  readonly status: number
  readonly reply: string
  readonly encrypted: boolean
  readonly resource_id: string | null
}

/** Longer than a provider's deadline and a transaction's timeouts together: the holder of an expired lease has died. */
const LEASE_SECONDS = 45

/** Text that identifies this key: its name within the process, and the associated data of an encrypted reply. */
export const nameOf = ({ actor, method, path, key }: IdempotencyKey): string =>
  `idempotency:${actor.organisationId}:${actor.environment}:${method}:${path}:${key}`

/** The encrypted replies. A row's id is its key as a JSON array. */
export const encryptedReplies: EncryptedColumn = {
  name: 'stored replies',
  select: `select json_build_array(organisation_id, environment, method, path, key)::text as id, reply as value
             from idempotency_keys where encrypted and not starts_with(reply, $1) limit $2`,
  update: `update idempotency_keys set reply = $3
            where organisation_id = ($1::json->>0)::uuid and environment = $1::json->>1 and method = $1::json->>2
              and path = $1::json->>3 and key = $1::json->>4 and reply = $2`,
  context: (id) => `idempotency:${(JSON.parse(id) as string[]).join(':')}`,
}

/** The reply of a row, decrypted if it is encrypted. */
export const replyOf = (runtime: Runtime, key: IdempotencyKey, row: StoredReplyRow): Reply => ({
  status: row.status,
  body: row.encrypted ? runtime.keyring.decrypt(row.reply, nameOf(key)) : row.reply,
  resourceId: row.resource_id ?? undefined,
})

/**
 * SQL: columns of the stored replies of `q (organisation_id, environment, method, path, key)` that may be replayed. The subselect has
 * nothing but the primary key to be found by: a plan that was made while there were few replies would go through all that have not expired.
 */
export const storedRepliesSql = (q: string): string => `
  select i.organisation_id, i.environment, i.method, i.path, i.key, i.status, i.reply, i.encrypted, i.resource_id
    from (select * from idempotency_keys
           where organisation_id = ${q}.organisation_id and environment = ${q}.environment
             and method = ${q}.method and path = ${q}.path and key = ${q}.key
          offset 0) i
   where i.reply is not null and i.expires_at > now()`

/** The stored reply of an earlier request with this key, if it may be replayed. */
export async function findStoredReply(runtime: Runtime, key: IdempotencyKey): Promise<Reply | undefined> {
  const { rows } = await runtime.pool.query<StoredReplyRow>(
    `select r.status, r.reply, r.encrypted, r.resource_id
       from (select $1::uuid as organisation_id, $2 as environment, $3 as method, $4 as path, $5 as key) q
      cross join lateral (${storedRepliesSql('q')}) r`,
    identity(key),
  )
  return rows[0] && replyOf(runtime, key, rows[0])
}

/**
 * Replaces `data` in the stored replies that show one object of the actor's tenant, for example to erase personal data. Replies
 * are found below `path`, by the id in their `data`. A repeated request still gets a reply, and runs nothing again.
 */
export async function replaceStoredReplies(
  unit: UnitOfWork,
  { path, id, data }: { path: string; id: string; data: object },
): Promise<void> {
  const { organisationId, environment } = unit.actor
  await sqlOf(unit.em).query(
    `update idempotency_keys set reply = json_build_object('status', reply::json->'status', 'message', reply::json->'message', 'data', $1::json)::text
      where organisation_id = $2 and environment = $3 and starts_with(path, $4)
        and not encrypted and strpos(reply, $5) > 0 and reply::json #>> '{data,id}' = $5`,
    [JSON.stringify(data), organisationId, environment, path, id],
  )
}

/**
 * Replaces one field of `data` in the stored replies below `path` that show objects of a customer, for example to erase a name.
 * A repeated request still gets a reply, and runs nothing again.
 */
export async function replaceInStoredReplies(
  unit: UnitOfWork,
  of: { readonly path: string; readonly customerId: string; readonly field: readonly string[]; readonly value: string },
): Promise<void> {
  const { organisationId, environment } = unit.actor
  await sqlOf(unit.em).query(
    `update idempotency_keys set reply = jsonb_set(reply::jsonb, $1::text[], to_jsonb($2::text))::text
      where organisation_id = $3 and environment = $4 and starts_with(path, $5)
        and not encrypted and strpos(reply, $6) > 0 and reply::json #>> '{data,customerId}' = $6
        and reply::json #>> $1::text[] is not null`,
    [['data', ...of.field], of.value, organisationId, environment, of.path, of.customerId],
  )
}

/** What stores replies with the commit of their commands. It returns no row for a key that another request has used. */
const storedReplies: InsertInto = {
  key: 'stored replies',
  text: [
    `insert into idempotency_keys as i (organisation_id, environment, method, path, key, fence, status, reply, encrypted, resource_id, expires_at)
     select r.organisation_id, r.environment, r.method, r.path, r.key, r.fence, r.status, r.reply, r.encrypted, r.resource_id,
            now() + make_interval(secs => r.seconds)
       from json_to_recordset(`,
    `::json) as r (organisation_id uuid, environment text, method text, path text, key text, fence uuid, status smallint, reply text,
                   encrypted boolean, resource_id uuid, seconds double precision)
     on conflict (organisation_id, environment, method, path, key) do update
       set fence = excluded.fence, status = excluded.status, reply = excluded.reply, encrypted = excluded.encrypted, resource_id = excluded.resource_id, expires_at = excluded.expires_at
       where i.fence = excluded.fence or i.expires_at <= now()
     returning 1`,
  ],
}

/** The row that stores a reply with the command's commit. */
export function storeReply(
  runtime: Runtime,
  key: IdempotencyKey,
  fence: string,
  reply: Reply,
  options: { retentionHours: number; encrypt: boolean },
): NewRow {
  const { organisationId, environment } = key.actor
  const row = {
    ...{ organisation_id: organisationId, environment, method: key.method, path: key.path, key: key.key, fence },
    status: reply.status,
    reply: options.encrypt ? runtime.keyring.encrypt(reply.body, nameOf(key)) : reply.body,
    encrypted: options.encrypt,
    resource_id: reply.resourceId,
    seconds: options.retentionHours * 3600,
  }
  return { into: storedReplies, json: JSON.stringify(row) }
}

/**
 * Takes a short lease on the key before a provider is called, so that duplicates in other processes do not call it too. Leases of new keys
 * share a statement, which waits for no stored reply; a key that is known is leased by itself, once its reply or its lease has expired.
 */
export function leases(runtime: Runtime): (key: IdempotencyKey, fence: string) => Promise<boolean> {
  const ofNew = grouped(async (wanted: readonly { readonly key: IdempotencyKey; readonly fence: string }[]) => {
    // Not flushed to disk: a lease that a database crash loses lets a duplicate call the provider too, and the fence stores one of them.
    const { rows } = await prepared(runtime.pool).query<{ fence: string }>(
      `insert into idempotency_keys (organisation_id, environment, method, path, key, fence, expires_at)
       select l.organisation_id, l.environment, l.method, l.path, l.key, l.fence, now() + make_interval(secs => $7)
         from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[]) as l (organisation_id, environment, method, path, key, fence),
              set_config('synchronous_commit', 'off', true)
        order by 1, 2, 3, 4, 5
       on conflict do nothing returning fence`,
      [
        ...[0, 1, 2, 3, 4].map((column) => wanted.map(({ key }) => identity(key)[column])),
        wanted.map(({ fence }) => fence),
        LEASE_SECONDS,
      ],
    )
    const taken = new Set(rows.map(({ fence }) => fence))
    return wanted.map(({ fence }) => taken.has(fence))
  })
  return async (key, fence) => (await ofNew({ key, fence })) || leaseExpired(runtime, key, fence)
}

/** Takes the lease on a key whose lease or reply has expired. */
async function leaseExpired(runtime: Runtime, key: IdempotencyKey, fence: string): Promise<boolean> {
  const { rowCount } = await runtime.pool.query(
    `insert into idempotency_keys as i (organisation_id, environment, method, path, key, fence, expires_at)
     select $1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7) from set_config('synchronous_commit', 'off', true)
     on conflict (organisation_id, environment, method, path, key) do update
       set fence = excluded.fence, status = null, reply = null, encrypted = false, resource_id = null, expires_at = excluded.expires_at
       where i.expires_at <= now()`,
    [...identity(key), fence, LEASE_SECONDS],
  )
  return rowCount === 1
}

/** Releases a lease, so that the key can be used again at once. */
export async function releaseLease(runtime: Runtime, key: IdempotencyKey, fence: string): Promise<void> {
  await runtime.pool.query(
    `delete from idempotency_keys
      where organisation_id = $1 and environment = $2 and method = $3 and path = $4 and key = $5 and fence = $6 and reply is null`,
    [...identity(key), fence],
  )
}

const identity = ({ actor, method, path, key }: IdempotencyKey): string[] => [
  actor.organisationId,
  actor.environment,
  method,
  path,
  key,
]
