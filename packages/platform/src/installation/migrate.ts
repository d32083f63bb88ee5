import { setTimeout as sleep } from 'node:timers/promises'
import { Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import { PROBED_SESSION } from '../database/connections/connect.ts'
import { sqlState } from '../database/errors.ts'
import type { MigrationStep } from '../domain/data.ts'
import type { Domain } from '../domain/domain.ts'
import type { Log } from '../settings/log.ts'
import { installQueues, type Job } from '../work/jobs.ts'
import { renewKeys } from './key-order.ts'

const LOCK = 'payments:migrate'
const LOCK_POLL_MS = 200

/**
 * Waits until no other process migrates. It asks again and again: a statement that waits for the lock has a snapshot, for whose end
 * `create index concurrently` in the process that migrates would wait, for ever.
 */
async function takeLock(lock: Client): Promise<void> {
  const taken = 'select pg_try_advisory_lock(hashtext($1)) as taken'
  while (!(await lock.query<{ taken: boolean }>(taken, [LOCK])).rows[0]?.taken) await sleep(LOCK_POLL_MS)
}

/**
 * Migrates a database to the newest schema as its owner: tables, queues, and the grants of the service's role, which owns
 * nothing and cannot update or delete rows of append-only tables. Processes that start together migrate one at a time. A step that
 * would wait for a lock, such as that of a backup, gives up after two seconds, so that requests are not kept waiting behind it, and is
 * tried again for up to an hour.
 */
export async function migrate(
  ownerUrl: string,
  serviceUrl: string,
  domains: readonly Domain[],
  log: Log,
): Promise<void> {
  const lock = new Client({ connectionString: ownerUrl, application_name: 'payments-migrate', ...PROBED_SESSION })
  // A connection that is lost while it only holds the lock: the next statement on it fails with the reason.
  lock.on('error', (error) => log.warn({ err: error }, 'connection of the migration lock lost'))
  await lock.connect()
  try {
    await takeLock(lock)
    await migrateTables(ownerUrl, domains, log)
    await migrateQueues(ownerUrl, domains)
    await renewKeys(lock)
    await keepToKeys(lock)
    await grant(lock, decodeURIComponent(new URL(serviceUrl).username), domains)
  } finally {
    await lock.end()
  }
}

const stepsOf = (domains: readonly Domain[]): MigrationStep[] =>
  domains.flatMap((domain) => domain.data?.migrations ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** The names of the migrations that the database lacks, in their order; undefined for a database that was never migrated. */
export async function pendingMigrations(url: string, domains: readonly Domain[]): Promise<string[] | undefined> {
  const client = new Client({
    connectionString: url,
    application_name: 'payments-migrate',
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows: found } = await client.query<{ there: boolean }>(
      "select to_regclass('public.migrations') is not null as there",
    )
    if (!found[0]?.there) return undefined
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const done = new Set(rows.map(({ name }) => name))
    return stepsOf(domains).flatMap(({ name }) => (done.has(name) ? [] : [name]))
  } finally {
    await client.end()
  }
}

/** How long a step waits for a lock, and with it every request that comes after it on the same table. */
const LOCK_TIMEOUT_MS = 2000
/** A step whose lock was not to be had is tried again, after a pause in which requests go on, for as long as a backup may take. */
const PAUSES_MS = [500, 1000, 2000, 5000, 10_000]
const LONGEST_MS = 3_600_000

async function migrateTables(ownerUrl: string, domains: readonly Domain[], log: Log): Promise<void> {
  const steps = stepsOf(domains)
  const orm = await MikroORM.init({
    clientUrl: ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: steps.map((step) => ({ name: step.name, class: asClass(step) })),
      tableName: 'migrations',
      snapshot: false,
      // Each step commits alone: one that locks a table keeps no request waiting for the steps after it, and holds no other lock.
      allOrNothing: false,
    },
    driverOptions: { options: `-c lock_timeout=${LOCK_TIMEOUT_MS}`, application_name: 'payments-migrate' },
    logger: (message) => log.debug(message),
  })
  try {
    await applySteps(orm, log)
  } catch (error) {
    // Not waited for: Kysely gives a connection that was lost within a transaction never back, and its pool waits for it. All others end at once.
    void orm.close(true).catch(() => undefined)
    throw error
  }
  await orm.close(true)
}

async function applySteps(orm: MikroORM, log: Log): Promise<void> {
  const deadline = Date.now() + LONGEST_MS
  for (let attempt = 0; ; attempt++) {
    try {
      // Steps that were applied before stay applied: each commits alone.
      await orm.migrator.up()
      return
    } catch (error) {
      if (!LOCKED.has(sqlState(error) ?? '') || Date.now() > deadline) throw error
      const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] as number
      log.warn({ attempt: attempt + 1, pauseMs: pause }, 'migration waits for a lock')
      await sleep(pause)
    }
  }
}

/** SQLSTATE: a lock was not available in time, a deadlock. */
const LOCKED = new Set(['55P03', '40P01'])

function asClass(step: MigrationStep) {
  return class extends Migration {
    override up(): void {
      for (const statement of step.up) this.addSql(statement)
    }
    override isTransactional(): boolean {
      return !step.concurrently
    }
  }
}

async function migrateQueues(ownerUrl: string, domains: readonly Domain[]): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, supervise: false, schedule: false, max: 2 })
  boss.on('error', () => undefined)
  await boss.start()
  try {
    await installQueues(boss, domains.flatMap((domain) => domain.work?.jobs ?? []) as Job[])
  } finally {
    await boss.stop({ graceful: false, close: true })
  }
}

/** As {@link BY_KEYS}. */
const OF_FUNCTIONS = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' }

/**
 * The functions that run as the owner are called for each row that is written, and find rows by their keys. A connection keeps their
 * plans: one that was made while a table was nearly empty would read all of it once it has grown, and one that is made for the arrays of each call takes longer than to run it.
 */
async function keepToKeys(owner: Client): Promise<void> {
  const settings = Object.entries(OF_FUNCTIONS)
  await owner.query(`do $$ declare name regprocedure; begin
    for name in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
                   and proowner = (select oid from pg_roles where rolname = current_user)
                   and not coalesce(proconfig, '{}') @> '{${settings.map((setting) => setting.join('=')).join()}}'
    loop
      ${settings.map(([setting, value]) => `execute format('alter function %s set ${setting} to ${value}', name);`).join('\n      ')}
    end loop;
  end $$`)
}

/** The append-only tables of every version that has migrated this database, for processes that do not know some of them. */
const APPEND_ONLY = 'append_only_tables'

/**
 * Grants all data access by default, and only select and insert on append-only tables. An older process that restarts beside a newer
 * one knows fewer of them, so the database keeps their names, which are never removed.
 */
async function grant(owner: Client, role: string, domains: readonly Domain[]): Promise<void> {
  await owner.query(`insert into ${APPEND_ONLY} select unnest($1::text[]) on conflict do nothing`, [
    domains.flatMap((domain) => domain.data?.appendOnly ?? []),
  ])
  const { rows } = await owner.query<{ user: string }>('select current_user as user')
  if (rows[0]?.user === role) return
  const to = `"${role.replaceAll('"', '""')}"`
  const { rows: appendOnly } = await owner.query<{ name: string }>(
    `select name from ${APPEND_ONLY} where to_regclass(quote_ident(name)) is not null order by name`,
  )
  await owner.query(`
    grant usage on schema public, pgboss to ${to};
    grant select, insert, update, delete on all tables in schema public, pgboss to ${to};
    grant usage on all sequences in schema public, pgboss to ${to};
    grant execute on all functions in schema public, pgboss to ${to};
    revoke insert, update, delete on migrations, ${APPEND_ONLY} from ${to};
    ${appendOnly.map(({ name }) => `revoke update, delete on "${name}" from ${to};`).join('\n')}
  `)
}
