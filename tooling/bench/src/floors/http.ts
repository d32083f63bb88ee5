// A hand-written gateway on `node:http` and `pg`: the same requests, the same bytes, the same durable effects, and nothing
// else (no router, no schema library, no ORM). FLOOR=statements sends a statement for each effect in a transaction;
// FLOOR=few puts them into as few round trips as they fit. Both use named prepared statements.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { Pool, type PoolClient } from 'pg'
import { v7 } from 'uuid'
import { KEY, LIMIT } from './admission.ts'

const few = process.env.FLOOR === 'few'
const pool = new Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10, options: '-c timezone=UTC' })
type Row = Record<string, string & Date & Record<string, unknown>>
const run = (db: Pool | PoolClient, name: string, text: string, values: unknown[]) =>
  db.query<Row>({ name, text, values })

const REPLAY = `select status, reply from idempotency_keys where organisation_id = $1 and environment = $2 and method = $3 and path = $4 and key = $5
  and reply is not null and expires_at > now()`
const ADMIT = `with hit as (${LIMIT}), key as (${KEY.replace('$1', '$2')})
  select (select count from hit) as count, key.*, i.status, i.reply from key left join lateral (
    select status, reply from idempotency_keys where organisation_id = key.organisation_id and environment = key.environment
      and method = $3 and path = $4 and key = $5 and reply is not null and expires_at > now() limit 1) i on true`
const CUSTOMER = `insert into customers (id, organisation_id, environment, name, email, phone_number, metadata, cngn_status, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'not_enabled', $8, $8)`
const EVENT = `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at) values ($1, $2, $3, $4, $5, $6, $7)`
const STORE = `insert into idempotency_keys as i (organisation_id, environment, method, path, key, fence, status, reply, encrypted, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, false, now() + interval '24 hours')
  on conflict (organisation_id, environment, method, path, key) do update set status = excluded.status, reply = excluded.reply, expires_at = excluded.expires_at
  where i.fence = excluded.fence or i.expires_at <= now() returning 1`
const LEASE = `insert into idempotency_keys as i (organisation_id, environment, method, path, key, fence, expires_at) values ($1, $2, $3, $4, $5, $6, now() + interval '45 seconds')
  on conflict (organisation_id, environment, method, path, key) do update set fence = excluded.fence, expires_at = excluded.expires_at where i.expires_at <= now()`
const TWIN = `select count(*), (select address from payment_route_refund_addresses where organisation_id = ($1::text)::uuid and environment = $2 and network_type = 'evm') as refund from payment_routes
  where payment_route_identity(organisation_id::text, environment, origin_chain_key, origin_currency, destination_chain_key, destination_currency, destination_address)
      = payment_route_identity($1, $2, $3, $4, $5, $6, $7) and status <> 'deleted'`
const PROVIDER = 'insert into sandbox_relay_addresses (address, route_id) values ($1, $2)'
const ROUTE = `insert into payment_routes (id, organisation_id, environment, name, provider, status, origin_chain_key, origin_currency, destination_chain_key,
  destination_currency, destination_address, refund_address, deposit_address, next_poll_at, poll_seconds, created_at, updated_at)
  values ($1, $2, $3, $4, 'sandbox', 'active', $5, $6, $7, $8, $9, $10, $11, $12, 15, $13, $13)`
const REFUND = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

/** Joins statements into one, renumbering parameters. */
function joined(parts: readonly (readonly [string, unknown[]])[]): [string, unknown[]] {
  const values: unknown[] = []
  const texts = parts.map(([text, own]) => {
    const offset = values.length
    values.push(...own)
    return text.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`)
  })
  return [`with ${texts.map((text, index) => `e${index} as (${text})`).join(', ')} select 1`, values]
}

interface Caller {
  organisation: string
  environment: string
  replay: { status: number; reply: string } | undefined
}

async function admit(req: IncomingMessage, method: string, path: string): Promise<Caller | undefined> {
  const token = req.headers.authorization?.slice(7) ?? ''
  const lookup = token.slice(9, 17)
  const key = req.headers['idempotency-key']
  let row: Row | undefined
  let replay: Row | undefined
  if (few) {
    const { rows } = await run(pool, 'admit', ADMIT, [req.socket.remoteAddress, lookup, method, path, key ?? ''])
    row = rows[0]
    if (row?.reply) replay = row
  } else {
    await run(pool, 'limit', LIMIT, [req.socket.remoteAddress])
    row = (await run(pool, 'key', KEY, [lookup])).rows[0]
  }
  const digest = createHash('sha256').update(token).digest('hex')
  if (!row || !timingSafeEqual(Buffer.from(digest), Buffer.from(row.digest as string))) return undefined
  if (!few && key)
    replay = (await run(pool, 'replay', REPLAY, [row.organisation_id, row.environment, method, path, key])).rows[0]
  return {
    organisation: row.organisation_id as string,
    environment: row.environment as string,
    replay: replay && { status: Number(replay.status), reply: replay.reply as string },
  }
}

async function body(req: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

const success = (message: string, data: unknown) => JSON.stringify({ status: 'success', message, data })

async function commit(parts: readonly (readonly [string, string, unknown[]])[]): Promise<void> {
  if (few) {
    const [text, values] = joined(parts.map(([, sql, own]) => [sql, own]))
    await run(pool, parts.map(([name]) => name).join('+'), text, values)
    return
  }
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const [name, text, values] of parts) await run(client, name, text, values)
    await client.query('commit')
  } finally {
    client.release()
  }
}

async function createCustomer(caller: Caller, identity: unknown[], input: Record<string, string>): Promise<string> {
  const id = v7()
  const now = new Date()
  const at = now.toISOString()
  const reply = success('Customer created', {
    id,
    name: input.name,
    email: input.email,
    phoneNumber: null,
    metadata: {},
    cngn: { status: 'not_enabled', failureReason: null },
    createdAt: at,
    updatedAt: at,
  })
  await commit([
    ['customer', CUSTOMER, [id, caller.organisation, caller.environment, input.name, input.email, null, '{}', now]],
    ['store', STORE, [...identity, v7(), 201, reply]],
  ])
  return reply
}

async function createRoute(caller: Caller, identity: unknown[], input: Record<string, string>): Promise<string> {
  const id = v7()
  const fence = v7()
  const address = `0x${randomBytes(20).toString('hex')}`
  const parts = [
    input.originChainKey,
    'USDC',
    input.destinationChainKey,
    input.destinationCurrency,
    input.destinationAddress,
  ]
  if (few) {
    const [text, values] = joined([
      [LEASE, [...identity, fence]],
      [TWIN, [caller.organisation, caller.environment, ...parts]],
      [PROVIDER, [address, id]],
    ])
    await run(pool, 'prepare', text, values)
  } else {
    await run(pool, 'lease', LEASE, [...identity, fence])
    await run(pool, 'twin', TWIN, [caller.organisation, caller.environment, ...parts])
    await run(pool, 'provider', PROVIDER, [address, id])
  }
  const now = new Date()
  const at = now.toISOString()
  const data = {
    id,
    name: input.name,
    status: 'active',
    customerId: null,
    originChainKey: input.originChainKey,
    originCurrency: 'USDC',
    destinationChainKey: input.destinationChainKey,
    destinationCurrency: input.destinationCurrency,
    destinationAddress: input.destinationAddress,
    refundAddress: REFUND,
    depositAddress: address,
    createdAt: at,
    updatedAt: at,
  }
  const reply = success('Payment route created', data)
  const eventId = v7()
  const event = JSON.stringify({
    id: eventId,
    type: 'payment_route.created',
    created: at,
    data: { ...data, previousStatus: null },
  })
  await commit([
    [
      'route',
      ROUTE,
      [
        id,
        caller.organisation,
        caller.environment,
        input.name,
        ...parts,
        REFUND,
        address,
        new Date(Date.now() + 15_000),
        now,
      ],
    ],
    ['event', EVENT, [eventId, caller.organisation, caller.environment, 'payment_route.created', id, event, now]],
    ['store', STORE, [...identity, fence, 201, reply]],
  ])
  return reply
}

async function listCustomers(caller: Caller): Promise<string> {
  const { rows } = await run(
    pool,
    'customers',
    'select * from customers where organisation_id = $1 and environment = $2 order by created_at desc, id desc',
    [caller.organisation, caller.environment],
  )
  const customers = rows.map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    phoneNumber: row.phone_number,
    metadata: row.metadata,
    cngn: { status: row.cngn_status, failureReason: row.cngn_failure_reason },
    createdAt: row.created_at?.toISOString(),
    updatedAt: row.updated_at?.toISOString(),
  }))
  return success('Customers retrieved', { customers, total: customers.length })
}

async function listTransactions(caller: Caller): Promise<string> {
  const { rows } = await run(
    pool,
    'transactions',
    `select t.*, c.name as customer_name, (select sum(count) from record_counts where organisation_id = $1 and environment = $2
              and table_name = 'transactions' and scope = '') as total
       from transactions t left join customers c on c.id = t.customer_id
      where t.organisation_id = $1 and t.environment = $2 order by t.created_at desc, t.id desc limit 200`,
    [caller.organisation, caller.environment],
  )
  const transactions = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    customerId: row.customer_id,
    customerName: row.customer_name ?? '',
    status: row.status,
    destination: row.destination,
    amount: row.amount,
    amountUsd: row.amount_usd,
    createdAt: row.created_at?.toISOString(),
    receipt: row.receipt,
  }))
  return success('Transactions retrieved', { transactions, total: Number(rows[0]?.total ?? 0) })
}

const server = createServer((req, res) => {
  const path = (req.url ?? '').split('?')[0] ?? ''
  const method = req.method ?? 'GET'
  const answer = (status: number, text: string, replayed = false) => {
    res.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'x-request-id': v7(),
      ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
    })
    res.end(text)
  }
  const work = async () => {
    const caller = await admit(req, method, path)
    if (!caller) return answer(401, '{"status":"error","message":"Invalid API key","data":null}')
    if (method === 'GET')
      return answer(200, path === '/v1/customers' ? await listCustomers(caller) : await listTransactions(caller))
    if (caller.replay) {
      req.resume()
      return answer(caller.replay.status, caller.replay.reply, true)
    }
    const identity = [caller.organisation, caller.environment, method, path, req.headers['idempotency-key']]
    const input = await body(req)
    answer(
      201,
      path === '/v1/customers'
        ? await createCustomer(caller, identity, input)
        : await createRoute(caller, identity, input),
    )
  }
  work().catch((error: unknown) => answer(500, JSON.stringify({ status: 'error', message: String(error), data: null })))
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'))
