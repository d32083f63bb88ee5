/** Counts a request of this address, and returns how many it has made. */
export const LIMIT = `insert into rate_limits as r (bucket, subject, count, ends_at) values ('global', $1, 1, now() + interval '900 seconds')
  on conflict (bucket, subject) do update set
    count = case when r.ends_at <= now() then 1 else r.count + 1 end,
    ends_at = case when r.ends_at <= now() then excluded.ends_at else r.ends_at end
  returning count`

/** The key of these first characters. */
export const KEY = `select k.id, k.organisation_id, k.environment, k.digest, k.scopes, (k.revoked_at is not null or k.expires_at <= now()) is true as ended,
  o.suspended_at is not null as suspended from api_keys k join organisations o on o.id = k.organisation_id where k.lookup = $1`
