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
