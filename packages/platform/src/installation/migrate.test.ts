import { Client } from 'pg'
import { expect, test } from 'vitest'
import { freshDatabase, pause } from '#testing'
import { foreignKeyConcurrently, indexConcurrently } from '../domain/data.ts'
import type { Domain } from '../domain/domain.ts'
import { createLog } from '../settings/log.ts'
import { migrate, pendingMigrations } from './migrate.ts'

const slow: Domain = {
  name: 'slow',
  data: { migrations: [{ name: '29990101000000_slow', up: ['select pg_sleep(1)'] }] },
}

test('a migration that loses the connection of its lock fails with the reason, and does not crash the process', async () => {
  const database = await freshDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  try {
    const migrating = migrate(database.ownerUrl, database.serviceUrl, [slow], createLog('silent'))
    const failed = expect(migrating).rejects.toThrow(/terminating connection|connection error|terminated/)
    const cut = () =>
      owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'payments-migrate'
            and datname = current_database() and state = 'idle' and query like '%advisory_lock%'`,
      )
    while ((await cut()).rowCount === 0) await pause(20)
    await failed
  } finally {
    await owner.end()
    await database.drop()
  }
})

test('a migration that a backup holds up lets requests go on, and ends once the backup has', async () => {
  const database = await freshDatabase()
  const clients = [database.ownerUrl, database.serviceUrl, database.ownerUrl].map(
    (connectionString) => new Client({ connectionString }),
  )
  const [backup, request, watch] = clients as [Client, Client, Client]
  await Promise.all(clients.map((client) => client.connect()))
  const column: Domain = {
    name: 'column',
    data: { migrations: [{ name: '29990101000000_column', up: ['alter table customers add column later text'] }] },
  }
  try {
    await backup.query('begin')
    await backup.query('lock table customers in access share mode')
    let migrated = false
    const migrating = migrate(database.ownerUrl, database.serviceUrl, [column], createLog('silent')).then(() => {
      migrated = true
    })
    const waits = () =>
      watch.query(
        "select 1 from pg_stat_activity where application_name = 'payments-migrate' and wait_event_type = 'Lock'",
      )
    while ((await waits()).rowCount === 0) await pause(20)
    // It has queued behind the backup: a request waits for as long as it does, and no longer.
    await request.query("set statement_timeout = '6s'")
    for (let asked = 0; asked < 3; asked++) await request.query('select count(*) from customers')
    expect(migrated).toBe(false)
    await backup.query('commit')
    await migrating
    await request.query('select later from customers')
  } finally {
    await Promise.all(clients.map((client) => client.end()))
    await database.drop()
  }
})

test('an index that is created concurrently is created again after an interrupted attempt', async () => {
  const database = await freshDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const step = {
    name: '29990101000000_index',
    up: indexConcurrently('customers_later', 'customers (created_at)'),
    concurrently: true as const,
  }
  try {
    await owner.query('create index customers_later on customers (updated_at)')
    expect(await pendingMigrations(database.serviceUrl, [{ name: 'index', data: { migrations: [step] } }])).toEqual([
      step.name,
    ])
    await migrate(
      database.ownerUrl,
      database.serviceUrl,
      [{ name: 'index', data: { migrations: [step] } }],
      createLog('silent'),
    )
    const { rows } = await owner.query("select indexdef from pg_indexes where indexname = 'customers_later'")
    expect(rows[0].indexdef).toMatch(/\(created_at\)$/)
    expect(await pendingMigrations(database.serviceUrl, [{ name: 'index', data: { migrations: [step] } }])).toEqual([])
  } finally {
    await owner.end()
    await database.drop()
  }
})

test('processes that start at the same time all end their migration, also where an index is created concurrently', async () => {
  const database = await freshDatabase()
  const up = indexConcurrently('customers_later', 'customers (created_at)')
  const migrations = [{ name: '29990101000000_index', up, concurrently: true as const }]
  const start = () =>
    migrate(database.ownerUrl, database.serviceUrl, [{ name: 'index', data: { migrations } }], createLog('silent'))
  try {
    await Promise.all([start(), start(), start()])
  } finally {
    await database.drop()
  }
})

test('every function that runs as the owner finds rows by keys and is planned once for each connection, also one that a step replaced', async () => {
  const database = await freshDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const up = [
    "create or replace function replaced() returns int language plpgsql security definer as 'begin return 1; end'",
  ]
  try {
    await owner.query(up[0] as string)
    await migrate(database.ownerUrl, database.serviceUrl, [], createLog('silent'))
    const migrations = [{ name: '29990101000000_replaced', up }]
    await migrate(
      database.ownerUrl,
      database.serviceUrl,
      [{ name: 'replaced', data: { migrations } }],
      createLog('silent'),
    )
    const { rows } = await owner.query(
      "select proname, proconfig from pg_proc where pronamespace = 'public'::regnamespace and prosecdef",
    )
    expect(rows.map(({ proname }) => proname)).toEqual(expect.arrayContaining(['replaced', 'ledger_post']))
    for (const { proconfig } of rows)
      expect(proconfig).toEqual(expect.arrayContaining(['enable_seqscan=off', 'plan_cache_mode=force_generic_plan']))
  } finally {
    await owner.end()
    await database.drop()
  }
})

test('functions of others in the same schema, such as that by which a pooler looks up users, are left as they are', async () => {
  const database = await freshDatabase()
  const [owner, other] = [database.ownerUrl, database.serviceUrl].map(
    (connectionString) => new Client({ connectionString }),
  ) as [Client, Client]
  await Promise.all([owner.connect(), other.connect()])
  const role = decodeURIComponent(new URL(database.serviceUrl).username)
  try {
    await owner.query(`grant create on schema public to "${role}"`)
    await other.query('create function user_lookup() returns int language sql security definer return 1')
    await migrate(database.ownerUrl, database.serviceUrl, [], createLog('silent'))
    const { rows } = await owner.query("select proconfig from pg_proc where proname = 'user_lookup'")
    expect(rows).toEqual([{ proconfig: null }])
  } finally {
    await Promise.all([owner.end(), other.end()])
    await database.drop()
  }
})

test('an older process that migrates beside a newer one leaves its append-only tables append-only', async () => {
  const database = await freshDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const newer: Domain = {
    name: 'newer',
    data: {
      migrations: [{ name: '29990101000000_records', up: ['create table newer_records (id uuid primary key)'] }],
      appendOnly: ['newer_records'],
    },
  }
  const older: Domain = { name: 'older', data: { migrations: [], appendOnly: ['ledger_entries'] } }
  const role = decodeURIComponent(new URL(database.serviceUrl).username)
  const privileges = async (table: string) => {
    const { rows } = await owner.query(
      `select array(select privilege from unnest(array['select', 'insert', 'update', 'delete']) privilege
                     where has_table_privilege($1, $2, privilege)) as held`,
      [role, table],
    )
    return rows[0].held
  }
  try {
    await migrate(database.ownerUrl, database.serviceUrl, [newer], createLog('silent'))
    expect(await privileges('newer_records')).toEqual(['select', 'insert'])
    await migrate(database.ownerUrl, database.serviceUrl, [older], createLog('silent'))
    expect(await privileges('newer_records')).toEqual(['select', 'insert'])
    expect(await privileges('ledger_postings')).toEqual(['select', 'insert'])
    expect(await privileges('append_only_tables')).toEqual(['select'])
    expect(await privileges('customers')).toEqual(['select', 'insert', 'update', 'delete'])
  } finally {
    await owner.end()
    await database.drop()
  }
})

test('the keys of a tenant are the newest indexes of their table after each migration, also after one that was interrupted, and while rows are written', async () => {
  const database = await freshDatabase()
  const [owner, request] = [database.ownerUrl, database.serviceUrl].map(
    (connectionString) => new Client({ connectionString }),
  ) as [Client, Client]
  await Promise.all([owner.connect(), request.connect()])
  const indexes = async () =>
    (
      await owner.query<{ name: string }>(
        `select indexrelid::regclass::text as name from pg_index where indrelid = 'customers'::regclass order by indexrelid`,
      )
    ).rows.map(({ name }) => name)
  const up = [...indexConcurrently('customers_later', 'customers (organisation_id, environment, updated_at)')]
  const later: Domain = {
    name: 'later',
    data: { migrations: [{ name: '29990101000000_later', up, concurrently: true }] },
  }
  try {
    await owner.query('create index customers_interrupted on customers (organisation_id, environment, name)')
    // A request that has read the table and is still open: the new key waits for its end.
    await request.query('begin isolation level repeatable read')
    await request.query('select count(*) from customers')
    await owner.query("set statement_timeout = '200ms'")
    await expect(owner.query('reindex index concurrently customers_pkey')).rejects.toThrow('statement timeout')
    await owner.query('set statement_timeout = 0')
    expect(await indexes()).toContain('customers_pkey_ccnew')
    const migrated = migrate(database.ownerUrl, database.serviceUrl, [later], createLog('silent'))
    await request.query('update customers set name = name')
    await request.query('commit')
    await migrated
    const order = await indexes()
    expect(order).not.toContain('customers_pkey_ccnew')
    expect(order).toContain('customers_later')
    expect(order.slice(-2)).toEqual(['customers_email_key', 'customers_pkey'])
  } finally {
    await Promise.all([owner.end(), request.end()])
    await database.drop()
  }
})

test('a foreign key that is added to rows refuses what refers to nothing, of before and of since, and its step can be run again', async () => {
  const database = await freshDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const up = foreignKeyConcurrently('parts', 'parts_of_fkey', '(of) references wholes')
  const step = { name: '29990101000000_reference', up, concurrently: true as const }
  const add = () =>
    migrate(
      database.ownerUrl,
      database.serviceUrl,
      [{ name: 'parts', data: { migrations: [step] } }],
      createLog('silent'),
    )
  try {
    await owner.query(
      'create table wholes (id int primary key); create table parts (of int); insert into parts values (1)',
    )
    await expect(add()).rejects.toThrow('violates foreign key constraint')
    await expect(owner.query('insert into parts values (2)')).rejects.toThrow('violates foreign key constraint')
    await owner.query('insert into wholes values (1)')
    await add()
    const { rows } = await owner.query(
      "select convalidated as valid from pg_constraint where conname = 'parts_of_fkey'",
    )
    expect(rows).toEqual([{ valid: true }])
  } finally {
    await owner.end()
    await database.drop()
  }
})
