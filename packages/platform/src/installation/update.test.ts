import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { freshDatabase, type TestDatabase, wayTo } from '#testing'
import { indexConcurrently } from '../domain/data.ts'
import type { Domain } from '../domain/domain.ts'
import { createLog } from '../settings/log.ts'
import { migrate, pendingMigrations } from './migrate.ts'

/** A release with one step of each kind. */
const NEWER: Domain = {
  name: 'newer',
  data: {
    migrations: [
      { name: '29990101000001_column', up: ['alter table customers add column later text'] },
      {
        name: '29990101000002_index',
        up: indexConcurrently('customers_later', 'customers (later)'),
        concurrently: true,
      },
      {
        name: '29990101000003_constraint',
        up: [
          'alter table customers drop constraint if exists customers_later_length',
          'alter table customers add constraint customers_later_length check (length(later) <= 100) not valid',
          'alter table customers validate constraint customers_later_length',
        ],
        concurrently: true,
      },
      {
        name: '29990101000004_trigger',
        up: [
          "create function customers_later() returns trigger language plpgsql as 'begin new.later := lower(new.later); return new; end'",
          'create trigger customers_later before insert or update on customers for each row execute function customers_later()',
        ],
      },
      {
        name: '29990101000005_state',
        up: [
          'drop trigger cngn_receipts_status_moves on cngn_receipts',
          `create trigger cngn_receipts_status_moves before update of status on cngn_receipts for each row when (old.status <> new.status)
            execute function guard_status('open>credited', 'open>resolved')`,
        ],
      },
      { name: '29990101000006_grant', up: ['create table newer_records (id uuid primary key)'] },
    ],
    appendOnly: ['newer_records'],
  },
}
const OLDER: Domain = { name: 'older', data: { migrations: [], appendOnly: ['ledger_entries'] } }

const update = (database: TestDatabase, domain: Domain, ownerUrl = database.ownerUrl) =>
  migrate(ownerUrl, database.serviceUrl, [domain], createLog('silent'))

/** What a database has: tables with their columns, indexes, constraints, triggers, functions, and what the role of the service may do. */
const SCHEMA = `select string_agg(line, E'\\n' order by line) as schema from (
    select concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull) as line from pg_attribute
      join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    union all select pg_get_indexdef(indexrelid) || indisvalid from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = 'public'::regnamespace
    union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated) from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
    union all select concat_ws(' ', table_name, privilege_type) from information_schema.role_table_grants where grantee = $1 and table_schema in ('public', 'pgboss')
  ) lines`

async function schemaOf({ ownerUrl, serviceUrl }: TestDatabase): Promise<string> {
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    const { rows } = await owner.query(SCHEMA, [decodeURIComponent(new URL(serviceUrl).username)])
    return rows[0].schema
  } finally {
    await owner.end()
  }
}

/** What the version before does with a customer, by its own columns. */
async function serveOlder({ serviceUrl, ownerUrl }: TestDatabase): Promise<void> {
  const [service, owner] = [serviceUrl, ownerUrl].map((connectionString) => new Client({ connectionString })) as [
    Client,
    Client,
  ]
  await Promise.all([service.connect(), owner.connect()])
  try {
    const { rows } = await owner.query(
      "insert into organisations (id, name, created_at, updated_at) values (gen_random_uuid(), 'Ada', now(), now()) returning id",
    )
    await service.query(
      `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
        values (gen_random_uuid(), $1, 'test', 'Ada', 'ada@example.com', '{}', '{}', now(), now())`,
      [rows[0].id],
    )
    const changed = await service.query("update customers set name = 'Ada Obi' where organisation_id = $1", [
      rows[0].id,
    ])
    expect(changed.rowCount).toBe(1)
  } finally {
    await Promise.all([service.end(), owner.end()])
  }
}

/** The beginning of a message Query or Parse, with the name of its prepared statement. */
const MESSAGE = String.raw`^(?:Q.{4}|P.{4}[^\0]*\0)\s*`
/** What does more than read. */
const STATEMENT = new RegExp(`${MESSAGE}(?!select|show|set |begin)[a-z]`, 's')
const BEGINS = new RegExp(`${MESSAGE}begin\\b`, 's')
const ENDS = new RegExp(`${MESSAGE}(?:commit|rollback)\\b`, 's')

/**
 * A way to the server on which every connection ends before effect number `cut` is sent, as when the process that migrates is killed. Effects
 * are commits and statements outside of transactions: a kill before another statement leaves what a kill before the next effect leaves.
 */
async function cutBefore(cut: number, ownerUrl: string) {
  const { dial, urlAt } = wayTo(ownerUrl)
  const sockets = new Set<Socket>()
  let effects = 0
  const server = createServer((client) => {
    const upstream = dial()
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => void [client.destroy(), upstream.destroy()])
    }
    let pending: Buffer = Buffer.alloc(0)
    let started = false
    let open = false
    client.on('data', (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes])
      for (;;) {
        // The first message of a connection has no letter for its type.
        const letter = started ? 1 : 0
        if (pending.length < letter + 4) return
        const length = letter + pending.readInt32BE(letter)
        if (pending.length < length) return
        const message = pending.subarray(0, length)
        pending = pending.subarray(length)
        const text = message.toString('latin1')
        const ends = ENDS.test(text)
        if (started && STATEMENT.test(text) && (!open || ends) && effects++ >= cut) {
          for (const socket of sockets) socket.destroy()
          return
        }
        open = (open || BEGINS.test(text)) && !ends
        started = true
        upstream.write(message)
      }
    })
    upstream.pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: urlAt((server.address() as AddressInfo).port),
    wasCut: () => effects > cut,
    close: () => new Promise((closed) => server.close(closed)),
  }
}

test('a release with a step of each kind that is killed before any statement of its update serves with the version before, which restarts, and is complete once it is updated again', {
  timeout: 300_000,
}, async () => {
  const whole = await freshDatabase()
  await update(whole, NEWER)
  const expected = await schemaOf(whole)
  expect(expected).toContain('customers_later')
  await whole.drop()

  let cut = 0
  for (let last = false; !last; cut++) {
    const database = await freshDatabase()
    const way = await cutBefore(cut, database.ownerUrl)
    try {
      const failed = await update(database, NEWER, way.url).then(
        () => undefined,
        (error: unknown) => error,
      )
      last = !way.wasCut()
      expect(failed === undefined, `effect ${cut}: ${failed}`).toBe(last)
      // The version before serves, and restarts beside what is half updated.
      await serveOlder(database)
      await update(database, OLDER)
      await update(database, NEWER)
      expect(await pendingMigrations(database.ownerUrl, [NEWER])).toEqual([])
      // Rolled back: the code before on the new schema.
      if (last) {
        await update(database, OLDER)
        await serveOlder(database)
      }
      expect(await schemaOf(database), `effect ${cut}`).toBe(expected)
    } finally {
      await way.close()
      await database.drop()
    }
  }
  expect(cut).toBeGreaterThan(12)
})
