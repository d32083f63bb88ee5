/** Seconds until a counter's window ends, and what it counts now. */
export interface Count {
  readonly bucket: string
  readonly subject: string
  readonly count: number
  readonly wait: number
}

/**
 * SQL: counts hits in fixed windows and returns {@link Count}. The parameters are arrays of buckets, subjects and hits,
 * and the window's seconds. Callers sort them by bucket and subject, so that two processes lock the counters in one order.
 */
export const countHitsSql = (buckets: string, subjects: string, hits: string, windowSeconds: string): string => `
  insert into rate_limits as r (bucket, subject, count, ends_at)
  select h.bucket, h.subject, h.count, now() + make_interval(secs => ${windowSeconds})
    from unnest(${buckets}::text[], ${subjects}::text[], ${hits}::int[]) as h (bucket, subject, count)
  on conflict (bucket, subject) do update set
    count = case when r.ends_at <= now() then excluded.count else r.count + excluded.count end,
    ends_at = case when r.ends_at <= now() then excluded.ends_at else r.ends_at end
  returning bucket, subject, count, ceil(extract(epoch from ends_at - now()))::int as wait`
