import { connectionsOf } from '@payments/gateway'
import {
  type Diagnosis,
  diagnose,
  isTransactionPooler,
  ownsTables,
  pendingMigrations,
  platformSettings,
  type Settings,
} from '@payments/platform'
import type { Pool } from 'pg'
import { type CommandDatabase, domains } from '../command.ts'

const OLDEST = 150_000
const QUERIES = 20
const SLOW_MS = 5
const CLOCK_SECONDS = 2

/** What operators would otherwise learn from an incident: version, speed, clock, role, schema, durability, standby, connections. */
export async function diagnoseDatabase(
  settings: Settings,
  { pool, ownerUrl, serviceUrl }: CommandDatabase,
): Promise<Diagnosis[]> {
  const { DATABASE_URL, DATABASE_ALLOW_OWNER } = platformSettings.from(settings)
  const one = async <T>(sql: string): Promise<T> => (await pool.query(sql)).rows[0] as T
  return Promise.all([
    diagnose('database: version', async () => {
      const { version, number, recovering } = await one<{ version: string; number: number; recovering: boolean }>(
        "select current_setting('server_version') as version, current_setting('server_version_num')::int as number, pg_is_in_recovery() as recovering",
      )
      if (recovering)
        return {
          status: 'failed',
          message: 'It is a standby, which accepts no writes',
          action: 'Name the primary in DATABASE_URL',
        }
      if (number >= OLDEST) return `PostgreSQL ${version}`
      return { status: 'failed', message: `PostgreSQL ${version}`, action: 'Upgrade it to 15 or newer' }
    }),
    diagnose('database: latency', () => latency(pool)),
    diagnose('database: clock', async () => {
      const { epoch } = await one<{ epoch: number }>('select extract(epoch from clock_timestamp())::float8 as epoch')
      const seconds = Math.abs(epoch - Date.now() / 1000)
      if (seconds <= CLOCK_SECONDS) return 'The clocks of this machine and of the server agree'
      return {
        status: 'failed',
        message: `The clocks differ by ${seconds.toFixed(1)} s`,
        action: 'Let both follow the same time servers',
      }
    }),
    diagnose('database: encoding and time zone', async () => {
      const { encoding, zone } = await one<{ encoding: string; zone: string }>(
        "select current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone",
      )
      if (encoding === 'UTF8') return `UTF8, ${zone} (the service always counts days in UTC)`
      return {
        status: 'failed',
        message: `The encoding is ${encoding}`,
        action: 'Create the database with the encoding UTF8',
      }
    }),
    diagnose('database: migrations', async () => {
      const pending = await pendingMigrations(serviceUrl, domains)
      if (pending?.length === 0) return 'It is up to date'
      const lacks = pending ? `It lacks ${pending.length} migrations, from ${pending[0]}` : 'It has never been migrated'
      return { status: 'failed', message: lacks, action: 'payments migrate, with DATABASE_OWNER_URL' }
    }),
    diagnose('database: role', async () => {
      if (!(await ownsTables(serviceUrl))) return "The service's role owns no table: it cannot change the journal"
      return {
        status: DATABASE_ALLOW_OWNER ? 'warning' : 'failed',
        message: "The service's role owns the tables, so nothing in the database protects the journal from it",
        action: 'Name the owner in DATABASE_OWNER_URL and another role in DATABASE_URL',
      }
    }),
    diagnose(
      'database: owner',
      async () => {
        if (ownerUrl === serviceUrl)
          return { status: 'skipped', message: 'DATABASE_OWNER_URL is not set here: payments migrate needs it' }
        await pendingMigrations(ownerUrl, domains)
        return 'The role of DATABASE_OWNER_URL connects'
      },
      'Compare DATABASE_OWNER_URL with the server',
    ),
    diagnose('database: pooler', async () => {
      if (!DATABASE_URL) return { status: 'skipped', message: 'The embedded database has none' }
      if (!(await isTransactionPooler(DATABASE_URL))) return 'Connections are made to the server itself'
      return 'A pooler in transaction mode, with DATABASE_DIRECT_URL past it'
    }),
    diagnose('database: encryption of connections', async () => {
      const { ssl, local } = await one<{ ssl: boolean; local: boolean }>(
        "select ssl, inet_client_addr() is null or inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1' as local from pg_stat_ssl where pid = pg_backend_pid()",
      )
      if (ssl || local) return ssl ? 'With TLS' : 'On this machine'
      return {
        status: 'warning',
        message: 'Not encrypted',
        action: 'Add sslmode=verify-full to the URLs, unless the network between is private',
      }
    }),
    diagnose('database: durability', async () => {
      const names = ['fsync', 'full_page_writes', 'synchronous_commit']
      const { rows } = await pool.query<{ name: string; setting: string }>(
        'select name, setting from pg_settings where name = any ($1)',
        [[...names, 'data_checksums']],
      )
      const off = rows.filter(({ name, setting }) => names.includes(name) && setting === 'off').map(({ name }) => name)
      if (off.length > 0)
        return {
          status: 'failed',
          message: `${off.join(', ')} off: a crash can lose what merchants were told`,
          action: `Set ${off.join(' = on, ')} = on in postgresql.conf`,
        }
      if (rows.some(({ name, setting }) => name === 'data_checksums' && setting === 'off'))
        return {
          status: 'warning',
          message: 'Commits are on disk; pages have no checksums',
          action: 'pg_checksums --enable, while the server is stopped',
        }
      return 'Commits are on disk, pages have checksums'
    }),
    diagnose('database: standby', async () => {
      const { wanted, sync, all } = await one<{ wanted: string; sync: number; all: number }>(
        `select current_setting('synchronous_standby_names') as wanted, count(*)::int as all,
                count(*) filter (where sync_state in ('sync', 'quorum'))::int as sync from pg_stat_replication`,
      )
      if (wanted && sync > 0) return `${all} standbys; commits wait for ${sync} of them`
      if (wanted && all === 0)
        return {
          status: 'failed',
          message: `synchronous_standby_names is ${wanted}, and no standby is connected: no commit returns`,
          action: 'Start the standby',
        }
      return {
        status: 'warning',
        message:
          all > 0
            ? `${all} standbys, and commits wait for none: a failover can lose the last ones`
            : 'There is no standby: what was written since the last backup is lost with the disk',
        action: 'See docs/operators/running.md, Database',
      }
    }),
    diagnose('database: connections', () => connections(settings, pool)),
    diagnose('database: size', async () => {
      const { size } = await one<{ size: string }>(
        'select pg_size_pretty(pg_database_size(current_database())) as size',
      )
      return `${size}; a client cannot see the free space of the disk: let the server's monitoring watch it`
    }),
  ])
}

async function latency(pool: Pool) {
  const times: number[] = []
  for (let query = 0; query < QUERIES; query++) {
    const started = performance.now()
    await pool.query('select 1')
    times.push(performance.now() - started)
  }
  const median = times.sort((a, b) => a - b)[QUERIES / 2] as number
  const message = `A statement takes ${median.toFixed(2)} ms`
  if (median <= SLOW_MS) return message
  return {
    status: 'warning' as const,
    message,
    action: 'Run the service near the database: a request makes several statements',
  }
}

async function connections(settings: Settings, pool: Pool) {
  const { message, problem } = await connectionsOf(settings, pool)
  if (!problem) return message
  return { status: 'warning' as const, message: problem.message, action: 'A process that starts warns of it, too' }
}
