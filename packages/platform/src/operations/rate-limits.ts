import { isIP, SocketAddress } from 'node:net'
import type { SqlExecutor } from '../database/sql.ts'

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

/**
 * What limits count as one client address: an IPv4 address, or the /64 of an IPv6 address, because one subscriber has all of it.
 * @param bits how much of an IPv6 address, from 48 to 64: many subscribers have a /56
 */
export function addressBlock(address: string, bits = 64): string {
  if (isIP(address) !== 6) return address
  // The canonical spelling has at most one `::` and no zone; an embedded IPv4 part is in the last two groups.
  const [head = '', tail] = new SocketAddress({ address, family: 'ipv6' }).address.split('::')
  const first = head ? head.split(':') : []
  const last = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length - (tail.includes('.') ? 1 : 0)
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4)
  const subnet = Number.parseInt(groups[3] ?? '0', 16)
  return `${[...groups.slice(0, 3), (subnet - (subnet % 2 ** (64 - bits))).toString(16)].join(':')}::/${bits}`
}
