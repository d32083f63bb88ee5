import type { SqlExecutor } from '../transactions/sql.ts'

/** The value of a counter. `wait`: seconds until its window ends. */
export interface Count {
  readonly bucket: string
  readonly subject: string
  readonly count: number
  readonly wait: number
}

/**
 * SQL: counts hits in fixed windows and returns {@link Count}. The parameters are arrays of buckets, subjects and hits,
 * and the length of the window in seconds. Callers sort the arrays by bucket and subject, so that all processes lock the
 * counters in the same order.
 */
export const countHitsSql = (buckets: string, subjects: string, hits: string, windowSeconds: string): string => `
  insert into rate_limits as r (bucket, subject, count, ends_at)
  select h.bucket, h.subject, h.count, now() + make_interval(secs => ${windowSeconds})
    from unnest(${buckets}::text[], ${subjects}::text[], ${hits}::int[]) as h (bucket, subject, count)
  on conflict (bucket, subject) do update set
    count = case when r.ends_at <= now() then excluded.count else r.count + excluded.count end,
    ends_at = case when r.ends_at <= now() then excluded.ends_at else r.ends_at end
  returning bucket, subject, count, ceil(extract(epoch from ends_at - now()))::int as wait`

/** How many requests the counters of the current windows have of a subject, such as an address. */
export async function hitsOf(pool: SqlExecutor, subject: string): Promise<number> {
  const sql = 'select coalesce(sum(count), 0)::int as hits from rate_limits where subject = $1'
  return ((await pool.query(sql, [subject])).rows[0] as { hits: number }).hits
}
