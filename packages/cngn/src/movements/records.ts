import { hash } from 'node:crypto'
import { type Environment, newId } from '@payments/kernel'
import type { SqlExecutor } from '@payments/platform'

/** An element of a provider's list that could not be read, or not be applied. */
export interface OddRecord {
  readonly environment: Environment
  readonly account: string
  readonly reference: string | null
  /** What is wrong with it, as an operator reads it. */
  readonly reason: string
  readonly report: string
}

/** What the reasons of elements begin with that could not be read, or not be applied: another report of the same may be. */
export const UNREAD = 'Not as documented'
export const UNAPPLIED = 'Could not be applied'

/** Elements that were kept, and that a later report has made readable or that could be applied, need no operator any more. */
export const endRecords = (db: SqlExecutor, environment: Environment, account: string, references: readonly string[]) =>
  db.query(
    `delete from cngn_records where environment = $1 and account = $2 and reference = any ($3)
        and (reason like '${UNREAD}%' or reason like '${UNAPPLIED}%')`,
    [environment, account, references],
  )

/** How long elements are kept. */
export const RECORD_DAYS = 90

/** Keeps an element for operators: one row for each distinct one, which counts its repetitions. True when it is new. */
export async function keepRecord(db: SqlExecutor, record: OddRecord): Promise<boolean> {
  const { environment, account, reference, reason, report } = record
  const { rows } = await db.query<{ times: number }>(
    `insert into cngn_records as r (id, environment, account, digest, reference, reason, report, times, first_at, last_at)
     values ($1, $2, $3, $4, $5, $6, $7, 1, now(), now())
     on conflict (environment, account, digest) do update set times = r.times + 1, last_at = now() returning times`,
    [newId(), environment, account, hash('sha256', `${reason}\n${report}`), reference, reason, report],
  )
  return rows[0]?.times === 1
}
