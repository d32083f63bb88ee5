import type { Environment } from '@payments/kernel'
import { type Runtime, type SqlExecutor, withSameCredentials } from '@payments/platform'

/** When money was shown to other credentials than those of now (`$3`) last, since a time: the journal has it, the account of now does not. */
export async function arrivedElsewhere(
  { pool }: Runtime,
  values: readonly [environment: Environment, account: string, now: string | null, since: Date],
): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date | string | null }>(
    `select max(received_at) as at from cngn_receipts
      where environment = $1 and account = $2 and received_at >= $4 and not ${withSameCredentials('$3')}`,
    [...values],
  )
  return rows[0]?.at ? new Date(rows[0].at) : null
}

/** Receipts of an account (`$1`, `$2`) go from credentials (`$3`) to others (`$4`): what is not settled, and what lists may still be compared with. */
export const bindReceipts = (db: SqlExecutor, values: readonly string[]) =>
  db.query(
    `update cngn_receipts set credentials = $4 where environment = $1 and account = $2 and credentials = $3
        and (status = 'open' or next_check_at is not null or received_at > now() - interval '30 days')`,
    [...values],
  )
