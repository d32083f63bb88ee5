import { everyDomain } from '@payments/api'
import { createLog, migrate } from '@payments/platform'
import { expect, test } from 'vitest'
import {
  call,
  connected,
  enabledCustomer,
  newCollection,
  newMerchant,
  samples,
  signedIn,
  startSession,
  type TestService,
  useService,
} from '#testing'

const service = useService()

/** Characters of an internal token behind its lookup part. */
const SECRET = 24

/**
 * Where a part of a key has few rows: an id has one, a user few memberships and sessions, an environment few providers and differing treasuries, a link few open
 * sessions, a customer little money that is on its way, an address one object in each environment and network.
 */
const FEW = new Set([
  'cngn_transfers_processing',
  'cngn_treasuries_differing',
  'ledger_accounts_id',
  'collections_id',
  'checkout_sessions_id',
  'memberships_of_user',
  'sessions_of_user',
  'provider_controls_pkey',
  'checkout_sessions_open',
  'payment_routes_deposit_address_key',
  'offramps_address',
  'cngn_transfers_receiving',
])

/** It has a row for each environment of a provider, and no index. */
const SMALL = 'swap_fee_payers'

/** They name a table that another node reads, or that is written. */
const WITHOUT_INDEX = new Set(['Bitmap Heap Scan', 'ModifyTable'])

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Node[]
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The reads of tables in the plan that a connection keeps of a lookup, as the server describes it now. */
async function readsOf(db: Awaited<ReturnType<typeof connected>>, text: string): Promise<string[]> {
  const { rows } = await db.query(`explain (generic_plan, format json) ${text}`)
  // A bitmap scan names its index in one node and its table in another.
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan as Node).filter(
    (node) =>
      node['Relation Name'] !== SMALL &&
      (node['Index Name'] || (node['Relation Name'] && !WITHOUT_INDEX.has(node['Node Type']))),
  )
  const { rows: unique } = await db.query<{ name: string; columns: number }>(
    `select c.relname as name, i.indnkeyatts::int as columns from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indisunique and c.relname = any ($1)`,
    [nodes.map((node) => node['Index Name'])],
  )
  const keys = new Map(unique.map(({ name, columns }) => [name, columns]))
  return nodes.map((node) => {
    const [table, index = 'none'] = [node['Relation Name'] ?? 'a table', node['Index Name']]
    const conditions = (node['Index Cond'] ?? '').split(' = ').length - 1
    const byKey = FEW.has(index) ? conditions > 0 : conditions === keys.get(index)
    return byKey ? 'by key' : `${table} by ${index}: ${node['Index Cond']}`
  })
}

/** Runs some requests, and returns the texts that `pool` was asked for meanwhile. */
async function textsOf(pool: object, requests: () => Promise<void>): Promise<string[]> {
  const asked = pool as { query(of: string | { text: string }, values?: unknown[]): unknown }
  const texts = new Set<string>()
  const query = asked.query.bind(asked)
  asked.query = (of, values) => {
    texts.add(typeof of === 'string' ? of : of.text)
    return query(of, values)
  }
  try {
    await requests()
    return [...texts]
  } finally {
    asked.query = query
  }
}

/**
 * As `pg_restore` makes the indexes of each table, constraints first and the others in the order of their names, and then as the service
 * migrates the restored database.
 */
async function restoreIndexes({ database }: TestService): Promise<void> {
  const owner = await connected({ database })
  try {
    const { rows } = await owner.query<{ name: string }>(
      `select i.oid::regclass::text as name from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = i.oid)
        order by i.relname`,
    )
    for (const { name } of rows) await owner.query(`reindex index concurrently ${name}`)
  } finally {
    await owner.end()
  }
  await migrate(database.ownerUrl, database.serviceUrl, everyDomain, createLog('fatal'))
}

/** Nothing but reads by keys, whether the tables are nearly empty, have some rows, or have been analysed with them. */
async function expectKeysAlone(texts: readonly string[]): Promise<void> {
  const db = await connected(service)
  const merchant = await newMerchant(service)
  const steps: (() => Promise<unknown>)[] = [
    async () => undefined,
    () => db.query('analyze'),
    () =>
      db.query(
        `insert into idempotency_keys (organisation_id, environment, method, path, key, fence, status, reply, expires_at)
         select $1, 'test', 'POST', '/v1/customers', n::text, gen_random_uuid(), 201, repeat('{}', 100), now() + interval '1 day' from generate_series(1, 30) n`,
        [merchant.organisationId],
      ),
    () => db.query('analyze'),
    () => restoreIndexes(service),
  ]
  try {
    await db.query('set enable_seqscan = off')
    for (const step of steps) {
      await step()
      for (const text of texts) {
        const reads = await readsOf(db, text)
        expect(reads.length).toBeGreaterThan(0)
        expect(new Set(reads)).toEqual(new Set(['by key']))
      }
    }
  } finally {
    await db.end()
  }
}

test('every lookup whose plan is kept reads its tables by their keys alone, whether they are nearly empty or have been analysed', async () => {
  const texts = await textsOf(service.runtime.lookups, async () => {
    const merchant = await newMerchant(service)
    const { accessToken } = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
    for (const path of ['auth/me', 'auth/sessions'])
      expect((await call(service, `GET /v1/${path}`, { token: accessToken })).status).toBe(200)
    expect((await merchant.call('GET /v1/rates')).status).toBe(200)
    for (const [path, body] of Object.entries({
      collections: samples.collection.body(),
      offramps: samples.offramp.body(),
      'payment-routes': samples.route.body(),
    }))
      expect((await merchant.call(`POST /v1/${path}`, { body })).status).toBe(201)
    const customerId = await enabledCustomer(service.runtime, merchant.organisationId)
    expect((await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)).status).toBe(200)
    const payout = await merchant.call('POST /v1/cngn/payouts', { body: samples.payout.body({ customerId }) })
    expect(payout.body.message).toContain('balance')
    const session = await startSession(service, (await newCollection(merchant)).id)
    expect((await call(service, `GET /v1/pay/${session.id}`)).status).toBe(200)
  })
  expect(texts.map((text) => text.match(/from (?:\(select \* from )?(\w+)/)?.[1]).sort()).toEqual([
    'checkout_sessions',
    'checkout_sessions',
    'cngn_enablements',
    'cngn_enablements',
    'collection_policies',
    'collections',
    'fiat_account_names',
    'payment_route_addresses',
    'payment_route_refund_addresses',
    'payment_routes',
    'provider_controls',
    'sandbox_faults',
    'sessions',
    'unnest',
    'users',
  ])
  await expectKeysAlone(texts)
})

test('what every request needs first is read by keys alone, however many organisations and stored replies there are', async () => {
  const texts = await textsOf(service.runtime.priorityPool, async () => {
    const merchant = await newMerchant(service)
    expect((await merchant.call('GET /v1/customers')).status).toBe(200)
    await call(service, 'GET /trpc/customers.list', { token: `svc_int_${'a'.repeat(8 + SECRET)}` })
  })
  const contexts = texts.filter((text) => text.includes('replays'))
  expect(contexts.map((text) => text.includes('internal_tokens')).sort()).toEqual([false, true])
  await expectKeysAlone(contexts)
})

test('a row is found by its key, not among all of its organisation, also with a plan of the time when its table was nearly empty, and in a restored database', async () => {
  const owner = await connected(service)
  try {
    const { rows: keys } = await owner.query<{ table: string; columns: string[]; name: string }>(
      `select c.relname::text as "table", i.relname::text as name,
              array(select attname::text from unnest(x.indkey::int[]) with ordinality k (number, place)
                      join pg_attribute on attrelid = c.oid and attnum = number order by place) as columns
         from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
        where x.indisprimary and c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
    )
    const { rows: indexes } = await owner.query<{ name: string; first: string }>(
      `select i.relname::text as name, attname::text as first from pg_index x join pg_class i on i.oid = x.indexrelid
         join pg_attribute a on a.attrelid = x.indrelid and attnum = x.indkey[0]`,
    )
    // A table of one page is read whole, until the next plan.
    await owner.query('set enable_seqscan to off')
    const TENANT = ['organisation_id', 'environment']
    const ofTenant = keys.filter(({ columns }) => columns[0] === 'organisation_id' && columns.length > 2)
    expect(ofTenant.length).toBeGreaterThan(20)
    const wrong: string[] = []
    for (const state of ['', 'analyze', 'restored']) {
      await (state === 'restored' ? restoreIndexes(service) : owner.query(state))
      for (const { table, columns, name } of ofTenant) {
        const where = columns.map((column, number) => `${column} = $${number + 1}`).join(' and ')
        // As the server checks a foreign key.
        const { rows } = await owner.query(
          `explain (generic_plan, format json) select 1 from only ${table} x where ${where} for key share of x`,
        )
        const used = nodesOf(rows[0]['QUERY PLAN'][0].Plan as Node).find((node) => node['Index Name'])?.['Index Name']
        const first = indexes.find((index) => index.name === used)?.first
        if (used !== name && (first === undefined || TENANT.includes(first))) wrong.push(`${table}: ${used}`)
      }
    }
    expect(wrong).toEqual([])
  } finally {
    await owner.end()
  }
})
