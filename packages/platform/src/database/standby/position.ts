import type { Pool } from 'pg'
import { sharedRead } from '../shared/shared-read.ts'

/** A position in the write-ahead log of the primary. What was acknowledged before it was read has its commit at or before it. */
export interface WalPosition {
  /** The identifier of the database cluster: only its own standbys can be compared with it. */
  readonly cluster: string
  /** The timeline, which a promotion changes: a position of another one says nothing about this one. */
  readonly timeline: number
  readonly lsn: string
}

/** SQL: {@link WalPosition} of the server, a primary, as JSON. A commit is acknowledged after the log was flushed up to it. */
export const walPositionSql = `(select json_build_object(
    'cluster', (select system_identifier::text from pg_control_system()),
    'timeline', ('x' || left(pg_walfile_name(flushed), 8))::bit(32)::int, 'lsn', flushed::text)
  from pg_current_wal_flush_lsn() flushed)`

/** The position of the primary now, for a read that no request has asked for. */
export async function walPosition(primary: Pool): Promise<WalPosition> {
  const { rows } = await primary.query<{ position: WalPosition }>(`select ${walPositionSql} as position`)
  if (!rows[0]) throw new Error('The primary has no position')
  return rows[0].position
}

/** A commit that is flushed, of a record that nothing reads. It waits for no synchronous standby. */
const FLUSH =
  "begin; set local synchronous_commit = local; select pg_logical_emit_message(true, 'payments', ''); commit"

/** Flushes the log of the primary up to the end of a record: for all who ask meanwhile, one commit. Never fails: who needs it reads elsewhere. */
export const walFlush = (primary: Pool): (() => Promise<void>) =>
  sharedRead(() =>
    primary.query(FLUSH).then(
      () => undefined,
      () => undefined,
    ),
  )
