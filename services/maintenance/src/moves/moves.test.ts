import { everyDomain } from '@payments/api'
import { belongToCell } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import {
  cancelMove,
  checkFingerprints,
  type MovingBetween,
  movedTables,
  moveOrganisation,
  obstaclesOf,
  previewMove,
} from '@payments/platform'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  act,
  bankTransfer,
  call,
  connectTo,
  enabledByWorker,
  expectConsistent,
  foundOrganisation,
  type Merchant,
  newCngn,
  newCollection,
  newMerchant,
  newOfframp,
  newOnramp,
  newRoute,
  newSwap,
  pay,
  START_SESSION,
  signedIn,
  until,
  useService,
} from '#testing'

const SECRETS_KEY = Buffer.alloc(32, 1).toString('base64')
const seed = (byte: number) => ({ SECRETS_KEY, SWAP_SEED: Buffer.alloc(32, byte).toString('base64') })
const source = useService({ worker: true, settings: seed(7) })
const target = useService({ worker: true, settings: { ...seed(8), CELL: '1' } })
const STEPS = ['packed', 'complete', 'copying', 'arrived', 'ending'] as const

let from: Client
let to: Client
beforeAll(async () => {
  // Both are in this process: what is made from here on is of the first one.
  belongToCell(0)
  from = await connectTo(source.database.ownerUrl)
  to = await connectTo(target.database.ownerUrl)
  // As each of them does when it starts.
  for (const { runtime } of [source, target]) await checkFingerprints(runtime.pool, everyDomain, runtime.settings)
})
afterAll(async () => {
  await from.end()
  await to.end()
})
afterEach(() => belongToCell(0))

const between = (more: Partial<MovingBetween> = {}): MovingBetween => ({
  ...{ from, to, domains: everyDomain, cells: { from: 0, to: 1 }, tell: () => undefined },
  ...more,
})

/** A process that dies in a step: its connections are gone, and what was not committed with them. */
async function killedIn(step: string, command: (between: MovingBetween) => Promise<void>): Promise<void> {
  const dying = [await connectTo(source.database.ownerUrl), await connectTo(target.database.ownerUrl)] as const
  const beforeStep = async (name: string) => {
    if (name !== step) return
    await Promise.all(dying.map((client) => client.end()))
    throw new Error('killed')
  }
  await expect(command(between({ from: dying[0], to: dying[1], beforeStep }))).rejects.toThrow('killed')
}

/** The rows of the organisation in each table that moves, by table, as text. */
async function rowsOf(db: Client, organisationId: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const { name, where, columns, fate } of await movedTables(db, everyDomain)) {
    if (fate === 'ended' || fate === 'merged') continue
    // The state of a move, the slots of counters, and numbers of rows are of the cell.
    const list = columns.filter((column) => !['slot', 'moved_to'].includes(column)).map((column) => `"${column}"`)
    const { rows } = await db.query<{ row: string }>(
      `select row(${list.join(', ')})::text as row from ${name} where (${where}) and $1::uuid is not null and $2::uuid is not null order by 1`,
      [organisationId, organisationId],
    )
    if (rows.length > 0) found[name] = rows.map(({ row }) => row)
  }
  return found
}

/** The cells that have rows of the organisation with which anything is done. */
async function activeIn(organisationId: string): Promise<string[]> {
  const has = async (db: Client) => Object.keys(await rowsOf(db, organisationId)).includes('transactions')
  return [...((await has(from)) ? ['source'] : []), ...((await has(to)) ? ['target'] : [])]
}

const suspended = async (organisationId: string) => {
  await from.query('update organisations set suspended_at = now() where id = $1', [organisationId])
  return organisationId
}

/** A merchant with objects of every domain, some of them under way. */
async function busyMerchant(): Promise<Merchant> {
  const merchant = await newMerchant(source)
  await signedIn(source.runtime, { organisationId: merchant.organisationId, role: 'owner' })
  // Nothing answers there: its deliveries wait.
  expect((await merchant.call('POST /v1/webhooks', { body: { url: 'https://merchant.test/hooks' } })).status).toBe(201)
  const [route, , swap, offramp] = [
    await newRoute(merchant),
    await newRoute(merchant),
    await newSwap(merchant),
    await newOfframp(merchant),
  ]
  await newOnramp(merchant)
  await pay(merchant, route.id, '10')
  await merchant.call(`POST /v1/sandbox/swaps/${swap.id}/deposits`, { body: {} })
  await merchant.call(`POST /v1/sandbox/offramps/${offramp.id}/deposits`, { body: {} })
  const link = await newCollection(merchant)
  await act(source, link.id, START_SESSION)
  const customerId = await enabledByWorker(merchant)
  await bankTransfer(merchant, customerId, '5000')
  await newCngn(merchant, 'payins', customerId)
  return merchant
}

test('every table belongs to organisations, or says why it stays; one that says neither ends a move before it begins', async () => {
  const tables = await movedTables(from, everyDomain)
  const { rows } = await from.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attname = 'organisation_id' order by 1`,
  )
  const stay = rows.filter(({ name }) => !tables.some((table) => table.name === name)).map(({ name }) => name)
  expect(stay).toEqual([
    'audit_log',
    'device_requests',
    'email_sends',
    'internal_tokens',
    'organisation_moves',
    'provider_calls',
  ])
  await from.query('create table new_objects (organisation_id uuid, name text)')
  await from.query('create table new_parts (object_id uuid)')
  await expect(movedTables(from, everyDomain)).rejects.toThrow('Nothing says whose the rows of new_parts are')
  await from.query('drop table new_parts')
  expect((await movedTables(from, everyDomain)).find(({ name }) => name === 'new_objects')?.fate).toBe('moved')
  await from.query('drop table new_objects')
})

test('an organisation that is not suspended, is unknown, is that of the operators, or has money at accounts of this cell does not move, and nothing is written', async () => {
  const id = await foundOrganisation(source.runtime)
  expect(await obstaclesOf(between(), id)).toEqual([expect.stringMatching(/^It is not suspended: suspend it first/)])
  await expect(moveOrganisation(between(), id)).rejects.toThrow('It is not suspended')
  await suspended(id)
  expect(await obstaclesOf(between(), id)).toEqual([])
  await from.query('begin')
  await from.query(
    `insert into ledger_accounts (id, organisation_id, environment, asset, purpose, party) values (gen_random_uuid(), $1, 'live', 'NGN', 'available', '')`,
    [id],
  )
  await from.query('set local session_replication_role = replica')
  await from.query('update ledger_accounts set balance = 5 where organisation_id = $1', [id])
  expect(await obstaclesOf(between(), id)).toEqual([
    '1 accounts of its ledger differ from their postings: see payments ledger-check',
    '1 balances of live money are at accounts that this cell has with its providers: pay them out first',
  ])
  await from.query('rollback')
  expect(await obstaclesOf(between({ cells: { from: 0, to: 2 } }), id)).toEqual([
    'MOVE_DATABASE_URL: no process with CELL=2 has ever served this database',
  ])
  expect(await obstaclesOf(between(), '01936f2a-7c1e-7000-8000-000000000000')).toEqual([
    'There is no such organisation',
  ])
  await to.query('update setting_fingerprints set digest = $1 where setting = $2', ['other', 'SECRETS_KEY'])
  expect(await obstaclesOf(between(), id)).toEqual([expect.stringMatching(/^SECRETS_KEY: the two cells encrypt with/)])
  await to.query(
    `insert into setting_fingerprints select * from jsonb_populate_record(null::setting_fingerprints, $1)`,
    [(await from.query("select * from setting_fingerprints where setting = 'SWAP_SEED'")).rows[0]],
  )
  expect(await obstaclesOf(between(), id)).toContainEqual(
    expect.stringMatching(/^SWAP_SEED: the two cells have the same/),
  )
  await to.query("delete from setting_fingerprints where setting = 'SWAP_SEED'")
  const { rows } = await from.query('select digest from setting_fingerprints where setting = $1', ['SECRETS_KEY'])
  await to.query('update setting_fingerprints set digest = $1 where setting = $2', [rows[0].digest, 'SECRETS_KEY'])
})

test('a database is of one cell: a process of another one does not start on it', async () => {
  const { pool, settings } = source.runtime
  const other = { ...settings, CELL: 2 }
  await expect(checkFingerprints(pool, everyDomain, other)).rejects.toThrow(
    'CELL: the database was written with another',
  )
})

test('killed in any step of a move, no row is in both cells, and the command goes on until all of it is in the other one, where everything ends', {
  timeout: 240_000,
}, async () => {
  const merchant = await busyMerchant()
  const { organisationId } = await merchant
  await suspended(organisationId)
  expect(await previewMove(between(), organisationId)).toContainEqual(
    expect.stringMatching(/^swaps: 1 moved \(1 \w+\)$/),
  )
  const [{ email }] = (
    await from.query('select email from users u join memberships m on m.user_id = u.id where organisation_id = $1', [
      organisationId,
    ])
  ).rows
  // The same person has an account there already.
  const other = await foundOrganisation(target.runtime)
  const there = await signedIn(target.runtime, { organisationId: other, role: 'owner' })
  await to.query('update users set email = $2 where id = $1', [there.userId, email])
  for (const step of STEPS) {
    await killedIn(step, (dying) => moveOrganisation(dying, organisationId))
    const active = await activeIn(organisationId)
    expect([step, active]).toEqual([step, step === 'packed' ? ['source'] : step === 'ending' ? ['target'] : []])
    // Its keys wait for the other cell.
    const { status } = await merchant.call('GET /v1/swaps')
    expect([step, status]).toEqual([step, step === 'packed' ? 200 : 503])
  }
  await moveOrganisation(between(), organisationId)
  expect(await activeIn(organisationId)).toEqual(['target'])
  const { rows: left } = await from.query('select count(*)::int as rows from moved_rows')
  const { rows: waiting } = await to.query('select count(*)::int as rows from moved_rows')
  expect([left, waiting]).toEqual([[{ rows: 0 }], [{ rows: 0 }]])
  const { rows: members } = await to.query('select user_id from memberships where organisation_id = $1', [
    organisationId,
  ])
  expect(members).toEqual([{ user_id: there.userId }])
  await expectConsistent(source, 'others')
  await expectConsistent(target, 'others')

  await to.query('update organisations set suspended_at = null where id = $1', [organisationId])
  const moved: Merchant = {
    ...merchant,
    call: (line, options) => call(target, line, { token: merchant.key, ...options }),
  }
  const statusOf = async (path: string) => (await moved.call(`GET /v1/${path}`)).body.data
  await until('everything ends', async () => {
    const swaps = await statusOf('swaps')
    const offramps = await statusOf('offramps')
    return swaps.swaps[0]?.status === 'completed' && offramps.offramps[0]?.status === 'delivered'
  })
  expect((await newRoute(moved)).status).toBe('active')
  // Its index is that of a swap that has come.
  expect((await newSwap(moved)).status).toBe('awaiting_deposit')
  await expectConsistent(target, 'others')
  // What is written there from now on comes after what has come, in every order.
  const { rows: order } = await to.query(
    `select pg_sequence_last_value(pg_get_serial_sequence('ledger_postings', 'seq')) >= (select max(seq) from ledger_postings where organisation_id = $1) as postings,
            (select (last_value + 1) * 1000 from events_position) > (select max(position) from events where organisation_id = $1) as events`,
    [organisationId],
  )
  expect(order).toEqual([{ postings: true, events: true }])
})

test('given up in any step before it arrives, an organisation is where it was, row for row', {
  timeout: 240_000,
}, async () => {
  const merchant = await busyMerchant()
  const { organisationId } = merchant
  await suspended(organisationId)
  for (const step of ['complete', 'copying', 'arrived']) {
    await killedIn(step, (dying) => moveOrganisation(dying, organisationId))
    expect(await activeIn(organisationId)).toEqual([])
    const packed = await packedRowsOf(organisationId)
    expect(Object.keys(packed)).toEqual(expect.arrayContaining([...UNCHANGED]))
    for (const last of ['refused', 'back']) {
      await killedIn(last, (dying) => cancelMove(dying, organisationId))
      expect(await activeIn(organisationId)).toEqual([])
      await expect(moveOrganisation(between(), organisationId)).rejects.toThrow('The move is given up')
    }
    await cancelMove(between(), organisationId)
    expect(await activeIn(organisationId)).toEqual(['source'])
    for (const table of UNCHANGED) {
      const { where } = (await movedTables(from, everyDomain)).find(({ name }) => name === table) ?? { where: '' }
      const { rows: back } = await from.query<{ row: string }>(
        `select t::text as row from ${table} t where (${where}) and $1::uuid is not null and $2::uuid is not null order by 1`,
        [organisationId, organisationId],
      )
      expect(back.map(({ row }) => row)).toEqual(expect.arrayContaining(packed[table] ?? []))
    }
    await expectConsistent(source, 'others')
    expect((await merchant.call('GET /v1/swaps')).status).toBe(200)
    await expect(cancelMove(between(), organisationId)).rejects.toThrow('No move of it is under way')
  }
  const { rows } = await to.query('select count(*)::int as rows from moved_rows')
  expect(rows).toEqual([{ rows: 0 }])
})

/** Tables whose rows workers do not change meanwhile. */
const UNCHANGED = [
  'customers',
  'collections',
  'ledger_postings',
  'sandbox_fiat_orders',
  'sessions',
  'webhook_endpoints',
] as const

/** The rows of each table that are packed, as text. */
async function packedRowsOf(organisationId: string): Promise<Record<string, string[]>> {
  const { rows } = await from.query<{ name: string; rows: string[] }>(
    `select table_name as name, array_agg(row order by row) as rows from moved_rows r join organisation_moves m on m.id = r.move_id
      where m.organisation_id = $1 and m.ended_at is null group by 1`,
    [organisationId],
  )
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]))
}

test('moved back, what the other cell has written is here, and what was left here is replaced', {
  timeout: 120_000,
}, async () => {
  const merchant = await busyMerchant()
  const { organisationId } = merchant
  await suspended(organisationId)
  await moveOrganisation(between(), organisationId)
  await to.query('update api_keys set revoked_at = now() where organisation_id = $1', [organisationId])
  const there = await rowsOf(to, organisationId)
  await moveOrganisation(between({ from: to, to: from, cells: { from: 1, to: 0 } }), organisationId)
  const here = await rowsOf(from, organisationId)
  expect(Object.keys(here)).toEqual(expect.arrayContaining(Object.keys(there)))
  const ids = (rows: readonly string[] = []) => rows.map((row) => row.slice(0, 37))
  expect(ids(here.transactions)).toEqual(ids(there.transactions))
  expect(ids(here.ledger_entries)).toEqual(expect.arrayContaining(ids(there.ledger_entries)))
  expect(here.api_keys).toEqual(there.api_keys)
  expect((await merchant.call('GET /v1/swaps')).status).toBe(401)
  await expectConsistent(source, 'others')
  await expectConsistent(target, 'others')
})

test('what is written of an organisation while it is taken out is counted once, in the cell where it is', async () => {
  const { organisationId } = await newMerchant(source)
  await suspended(organisationId)
  const taken: string[] = []
  const query = async (text: string, values?: unknown[]) => {
    // Its own rows have been taken, and its counters have not.
    if (text.includes('delete from record_counts')) {
      taken.push(text)
      await source.runtime.pool.query(
        `insert into notifications (id, organisation_id, environment, type, title, body, resource_type, resource_id, created_at, email_due)
         values (gen_random_uuid(), $1, 'test', 'api_key.created', 'Late', 'Late', 'api_key', $1, now(), false)`,
        [organisationId],
      )
    }
    return from.query(text, values)
  }
  await moveOrganisation(between({ from: { query } as never }), organisationId)
  expect(taken.length).toBeGreaterThan(1)
  for (const { runtime } of [source, target]) expect((await checkLedger(runtime)).findings).toEqual([])
})
