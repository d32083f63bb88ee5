import { Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import type { Domain, MigrationStep } from '../domain.ts'
import { installQueues, type Job } from '../jobs.ts'
import type { Log } from '../log.ts'

const LOCK = 'payments:migrate'

/**
 * Migrates a database to the newest schema as its owner: tables, queues, and the grants of the service's role, which owns
 * nothing and cannot update or delete rows of append-only tables. Processes that start together migrate one at a time.
 */
export async function migrate(
  ownerUrl: string,
  serviceUrl: string,
  domains: readonly Domain[],
  log: Log,
): Promise<void> {
  const lock = new Client({ connectionString: ownerUrl, application_name: 'payments-migrate' })
  // A connection that is lost while it only holds the lock: the next statement on it fails with the reason.
  lock.on('error', (error) => log.warn({ err: error }, 'connection of the migration lock lost'))
  await lock.connect()
  try {
    await lock.query('select pg_advisory_lock(hashtext($1))', [LOCK])
    await migrateTables(ownerUrl, domains, log)
    await migrateQueues(ownerUrl, domains)
    await grant(lock, decodeURIComponent(new URL(serviceUrl).username), domains)
  } finally {
    await lock.end()
  }
}

async function migrateTables(ownerUrl: string, domains: readonly Domain[], log: Log): Promise<void> {
  const steps = domains.flatMap((domain) => domain.migrations ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))
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
    logger: (message) => log.debug(message),
  })
  try {
    await orm.migrator.up()
  } finally {
    await orm.close(true)
  }
}

function asClass(step: MigrationStep) {
  return class extends Migration {
    override up(): void {
      for (const statement of step.up) this.addSql(statement)
    }
  }
}

async function migrateQueues(ownerUrl: string, domains: readonly Domain[]): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, supervise: false, schedule: false, max: 2 })
  boss.on('error', () => undefined)
  await boss.start()
  try {
    await installQueues(boss, domains.flatMap((domain) => domain.jobs ?? []) as Job[])
  } finally {
    await boss.stop({ graceful: false, close: true })
  }
}

/** Grants all data access by default, and only select and insert on append-only tables. */
async function grant(owner: Client, role: string, domains: readonly Domain[]): Promise<void> {
  const { rows } = await owner.query<{ user: string }>('select current_user as user')
  if (rows[0]?.user === role) return
  const to = `"${role.replaceAll('"', '""')}"`
  const appendOnly = domains.flatMap((domain) => domain.appendOnly ?? [])
  await owner.query(`
    grant usage on schema public, pgboss to ${to};
    grant select, insert, update, delete on all tables in schema public, pgboss to ${to};
    grant usage on all sequences in schema public, pgboss to ${to};
    grant execute on all functions in schema public, pgboss to ${to};
    revoke insert, update, delete on migrations from ${to};
    ${appendOnly.map((table) => `revoke update, delete on ${table} from ${to};`).join('\n')}
  `)
}
