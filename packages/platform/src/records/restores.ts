import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '@payments/kernel'
import type { SqlExecutor } from '../database/sql.ts'
import { instant } from '../domain/entity.ts'
import type { RestoreDeclaration } from '../operations/context/restore.ts'

// A database that is restored to an earlier point has forgotten commits that providers and merchants know of. Nothing inside it shows
// that, so where it is shows it: PostgreSQL's own identity of the cluster and of the database, and the target of its recovery.

/** Where this database was when a process last served it: one row. */
const DatabaseOriginEntity = defineEntity({
  name: 'DatabaseOrigin',
  tableName: 'database_origin',
  properties: {
    single: p.boolean().primary().default(true),
    cluster: p.text(),
    recoveryTarget: p.text(),
    recordedAt: instant(),
  },
  checks: [{ name: 'database_origin_single_check', expression: 'single' }],
})

/** How a restore came to be known. */
const reasons = ['copied', 'recovered', 'declared'] as const

/** A restore of this database. While one is not reconciled, no gateway and no worker starts. */
const RestoreEntity = defineEntity({
  name: 'Restore',
  tableName: 'restores',
  properties: {
    id: p.uuid().primary(),
    reason: p.enum(reasons),
    foundAt: instant(),
    /** The last change that the database knew of. */
    restoredTo: instant().nullable(),
    /** When what the database has was secured against what it has forgotten. */
    securedAt: instant().nullable(),
    reconciledAt: instant().nullable(),
    /** What the providers knew and the database did not. */
    findings: p.json<readonly string[]>().nullable(),
  },
})

export const restoreEntities = [DatabaseOriginEntity, RestoreEntity]

/** A restore that is not reconciled yet. */
export interface OpenRestore {
  readonly id: string
  readonly reason: (typeof reasons)[number]
  readonly foundAt: Date
  readonly restoredTo: Date | null
  readonly securedAt: Date | null
}

interface Origin {
  readonly cluster: string
  readonly recovery_target: string
}

/** The cluster and the database by PostgreSQL's own identifiers, and the target at which a recovery was told to stop. */
const ORIGIN = `select (select system_identifier from pg_control_system()) || '/' || d.oid as cluster,
    coalesce((select string_agg(name || '=' || setting, ' ' order by name) from pg_settings
               where name in ('recovery_target', 'recovery_target_lsn', 'recovery_target_name', 'recovery_target_time', 'recovery_target_xid')
                 and setting <> ''), '') as recovery_target
  from pg_database d where d.datname = current_database()`

/** Why a database is not the one that was served last; null: it is, or none was served yet. A target that is removed says nothing. */
const changeOf = (stored: Origin | undefined, now: Origin): 'copied' | 'recovered' | null => {
  if (!stored) return null
  if (stored.cluster !== now.cluster) return 'copied'
  return now.recovery_target !== '' && now.recovery_target !== stored.recovery_target ? 'recovered' : null
}

/**
 * Notes a restore that nobody has declared: the database is a copy (another cluster or database than the last time), or PostgreSQL
 * was told to stop its recovery at a point. Then the restore that is not reconciled yet; null when there is none. A snapshot of a
 * disk shows nothing: operators declare it.
 */
export async function openRestore(db: SqlExecutor): Promise<OpenRestore | null> {
  const { rows: origins } = await db.query<Origin>(ORIGIN)
  const { rows: known } = await db.query<Origin>('select cluster, recovery_target from database_origin')
  const [now] = origins
  if (!now) throw new Error('PostgreSQL does not say which database this is')
  const reason = changeOf(known[0], now)
  // One statement: a restore is never forgotten because the new origin was stored without it.
  await db.query(
    `with origin as (
       insert into database_origin as o (single, cluster, recovery_target, recorded_at) values (true, $1, $2, now())
       on conflict (single) do update set cluster = excluded.cluster, recovery_target = excluded.recovery_target, recorded_at = now()
         where (o.cluster, o.recovery_target) is distinct from ($1, $2) returning 1)
     insert into restores (id, reason, found_at) select $3, $4, now() from origin
      where $4::text is not null and not exists (select from restores where reconciled_at is null)`,
    [now.cluster, now.recovery_target, newId(), reason],
  )
  const { rows } = await db.query<{
    id: string
    reason: OpenRestore['reason']
    found_at: Date | string
    restored_to: Date | string | null
    secured_at: Date | string | null
  }>('select * from restores where reconciled_at is null order by found_at limit 1')
  const [open] = rows
  if (!open) return null
  const at = (time: Date | string | null) => (time === null ? null : new Date(time))
  return {
    id: open.id,
    reason: open.reason,
    foundAt: new Date(open.found_at),
    restoredTo: at(open.restored_to),
    securedAt: at(open.secured_at),
  }
}

/** Notes a restore that the database does not show: of a snapshot of its disk, or with its recovery target removed. */
export async function declareRestore(db: SqlExecutor): Promise<void> {
  await db.query("insert into restores (id, reason, found_at) values ($1, 'declared', now())", [newId()])
}

/** Notes that everything was secured against the time from `restoredTo` to `securedAt`: with the commit that did so. */
export async function noteSecured(
  db: SqlExecutor,
  { id }: OpenRestore,
  { restoredTo, securedAt }: { readonly restoredTo: Date; readonly securedAt: Date },
): Promise<void> {
  await db.query('update restores set secured_at = $2, restored_to = $3 where id = $1', [id, securedAt, restoredTo])
}

/**
 * Is a time of another's clock, which may differ by `skewSeconds`, in what a restored database has forgotten? What has no time may be of then until `lateSeconds`
 * after everything was secured: for as long as others may tell of something late.
 */
export async function isForgotten(
  db: SqlExecutor,
  at: Date | null,
  { skewSeconds, lateSeconds }: { readonly skewSeconds: number; readonly lateSeconds: number },
): Promise<boolean> {
  const { rows } = await db.query(
    `select from restores where case when $1::timestamptz is null then secured_at > now() - make_interval(secs => $3)
              else $1 between restored_to - make_interval(secs => $2) and secured_at + make_interval(secs => $2) end limit 1`,
    [at, skewSeconds, lateSeconds],
  )
  return rows.length > 0
}

/** Ends a restore: processes may start again. `findings`: what the providers knew and the database did not. */
export async function noteReconciled(db: SqlExecutor, findings: readonly string[]): Promise<void> {
  await db.query('update restores set reconciled_at = now(), findings = $1 where reconciled_at is null', [
    JSON.stringify(findings),
  ])
}

/** The last request that was logged. */
export const restore: RestoreDeclaration = {
  async lastChange(db) {
    const { rows } = await db.query<{ at: Date | string }>(
      'select created_at as at from request_log order by id desc limit 1',
    )
    return rows[0] ? new Date(rows[0].at) : null
  },
}
