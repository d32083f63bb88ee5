import { type RevokedKeys, revokeForgotten } from '@payments/accounts'
import { composeProcess } from '@payments/api'
import { adapters } from '@payments/gateway'
import { checkLedger } from '@payments/ledger'
import {
  checkFingerprints,
  createLog,
  declareRestore,
  type ForgottenTime,
  noteReconciled,
  noteSecured,
  type OpenRestore,
  openRestore,
  pendingMigrations,
  type SqlExecutor,
} from '@payments/platform'
import { Client } from 'pg'
import { type CommandDatabase, domains } from '../command.ts'

/** What an operator says of a restore. */
export interface Said {
  /** The database does not show it, such as a snapshot of a disk. */
  readonly declared: boolean
  /** The database was moved, and no commit was lost: every process was stopped before. */
  readonly nothingLost: boolean
  /** When it was restored to, where that is before what the database shows. */
  readonly since: Date | undefined
  readonly revokedKeys: RevokedKeys | undefined
  tell(line: string): void
}

/** Clocks of providers, and changes that were made shortly before the last one that the database knows. */
const MARGIN_MS = 10 * 60_000

/** Returns false when something must be done before the service can start. @throws with one sentence for the operator */
export async function reconcile(database: CommandDatabase, said: Said): Promise<boolean> {
  const { settings, pool, ownerUrl } = database
  await checkMigrated(database)
  if (said.declared && !(await openRestore(pool))) await declareRestore(pool)
  const restore = await openRestore(pool)
  if (!restore) {
    said.tell('This database was not restored: there is nothing to reconcile. Where it was, say so with --restored')
    return true
  }
  await checkUnused(database)
  if (said.nothingLost) return nothingWasLost(database, said)
  const forgotten = restore.securedAt ? known(restore) : await secureAll(database, restore, said)
  said.tell(
    `Forgotten: changes from ${(restore.restoredTo ?? forgotten.from).toISOString()} to ${forgotten.to.toISOString()}`,
  )
  await checkFingerprints(pool, domains, settings)
  const findings = await compareAll(database, forgotten)
  for (const finding of findings) said.tell(finding)
  const ledger = await checkLedger({ pool, domains })
  for (const { check, id, message } of ledger.findings) said.tell(`ledger: ${check} ${id}: ${message}`)
  if (!ledger.ok) throw new Error('The ledger is not in order: restore another backup, or have it examined')
  await asOwner(ownerUrl, (db) => noteReconciled(db, findings))
  said.tell(
    `Reconciled, ${findings.length === 0 ? 'nothing' : `${findings.length} things`} that the database does not have. Start the workers, then the gateways; commands that operators gave since are in the log, and must be given again`,
  )
  return true
}

async function checkMigrated({ ownerUrl }: CommandDatabase): Promise<void> {
  const pending = await pendingMigrations(ownerUrl, domains)
  if (pending === undefined || pending.length > 0)
    throw new Error('The database lacks migrations of this release: run `payments migrate` first')
}

/** No process serves the database: what one of them does meanwhile is secured against nothing. @throws Error with each connection that looks like one */
async function checkUnused({ pool }: CommandDatabase): Promise<void> {
  const { rows } = await pool.query<{ name: string; pid: number; address: string; state: string }>(
    `select application_name as name, pid, coalesce(host(client_addr) || ':' || client_port, 'a local socket') as address,
            coalesce(state, 'unknown') || ' for ' || round(extract(epoch from now() - state_change)) || ' s' as state
       from pg_stat_activity
      where datname = current_database() and application_name in ('payments', 'payments-worker', 'payments-priority')
      order by pid`,
  )
  if (rows.length === 0) return
  const lines = rows.map(
    ({ name, pid, address, state }) => `  ${name} from ${address} (${state}, process ${pid} of PostgreSQL)`,
  )
  throw new Error(
    [
      'Gateways or workers use the database: stop every one of them first',
      ...lines,
      'If none runs, these are idle connections of PgBouncer, which keep the name of their last client: systemctl restart pgbouncer',
    ].join('\n'),
  )
}

async function nothingWasLost({ ownerUrl }: CommandDatabase, { tell }: Said): Promise<boolean> {
  await asOwner(ownerUrl, (db) => noteReconciled(db, ['An operator says that no commit was lost']))
  tell('Noted: no commit was lost. Start the workers, then the gateways')
  return true
}

const known = ({ restoredTo, securedAt }: OpenRestore): ForgottenTime => ({
  from: new Date((restoredTo ?? new Date(0)).getTime() - MARGIN_MS),
  to: securedAt ?? new Date(),
})

/** Secures everything in one transaction: a command that dies has changed nothing, or is not repeated. */
async function secureAll({ ownerUrl, settings }: CommandDatabase, restore: OpenRestore, said: Said) {
  const { revokedKeys } = said
  if (revokedKeys === undefined)
    throw new Error(
      '--revoked-keys: required, because keys that were revoked since are valid again. The log has a line "API key revoked" for each: name their ids, or none, or all',
    )
  return asOwner(ownerUrl, async (db) => {
    await db.query('begin')
    const to = await clock(db)
    const last = said.since ?? (await lastChange(db)) ?? to
    const forgotten = { from: new Date(last.getTime() - MARGIN_MS), to }
    const unknown = await revokeForgotten(db, revokedKeys)
    if (unknown.length > 0) said.tell(`No key has these ids, because they were made since: ${unknown.join(', ')}`)
    for (const { data } of domains)
      for (const line of (await data?.restore?.secure?.(db, forgotten, settings)) ?? []) said.tell(line)
    await noteSecured(db, restore, { restoredTo: last, securedAt: to })
    await db.query('commit')
    return forgotten
  })
}

async function clock(db: SqlExecutor): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  return rows[0]?.now ?? new Date()
}

/** The last change that any domain knows of. */
async function lastChange(db: SqlExecutor): Promise<Date | undefined> {
  const times: Date[] = []
  for (const { data } of domains) {
    const at = await data?.restore?.lastChange?.(db)
    if (at) times.push(at)
  }
  return times.toSorted((a, b) => a.getTime() - b.getTime()).at(-1)
}

/** What providers know of the time that the database has forgotten. @throws where one of them does not answer */
async function compareAll({ settings, serviceUrl }: CommandDatabase, forgotten: ForgottenTime) {
  const live = (await Promise.all(adapters.map((adapter) => adapter.bindings(settings)))).flat()
  // As a gateway, which does no work by itself.
  const own = await composeProcess(Object.assign({}, settings, { PROCESS_ROLE: 'gateway' }), serviceUrl, {
    log: createLog('error'),
    live,
  })
  try {
    const findings: string[] = []
    for (const { name, data } of domains) {
      try {
        findings.push(...((await data?.restore?.compare?.(own.runtime, forgotten)) ?? []))
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}. Nothing is lost: run the command again`)
      }
    }
    return findings
  } finally {
    await own.stop()
  }
}

async function asOwner<T>(url: string, work: (db: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'payments-reconcile' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
