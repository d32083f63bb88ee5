import {
  type Authentication,
  type Count,
  type CredentialRecords,
  countHitsSql,
  grouped,
  type KeyRecord,
  type Runtime,
  type SessionRecord,
  type StoredReplyRow,
  storedRepliesSql,
  type TokenRecord,
  type WalPosition,
  walPositionSql,
} from '@payments/platform'
import { gatewaySettings } from '../settings.ts'

/** The parts of a request from which its context is read. */
export interface RequestQuery {
  /** The client's IPv4 address, or the /64 of its IPv6 address. */
  readonly block: string
  /** Number of requests to count: each call of a tRPC batch counts. */
  readonly count: number
  /** Does it count as a view, against a limit of its own? */
  readonly view: boolean
  /** Does it count against the limit of /v1/auth as well? */
  readonly auth: boolean
  /** Is it one of the operations of access `sign-in`? They try secrets, so whatever session they send, the address counts. */
  readonly signIn: boolean
  /** Is it a call of the dashboard's application? With a session it counts against a limit of that session. */
  readonly dashboard: boolean
  readonly lookup: string | undefined
  readonly sessionId: string | undefined
  /** Of an internal token. */
  readonly tokenLookup: string | undefined
  readonly replay: { readonly method: string; readonly path: string; readonly key: string } | undefined
}

/** The rate limits, the credential's record and the stored reply of a request. */
export interface RequestContext extends CredentialRecords {
  /** Seconds until the caller may retry, when a limit is exceeded. */
  readonly retryAfter: number | undefined
  readonly replay: StoredReplyRow | undefined
  /** The position of the primary, where a standby serves reads. */
  readonly position?: WalPosition | undefined
}

/**
 * What a request counts against: a view of a page against a limit that an office or a mobile carrier with one address does not
 * reach, calls of the dashboard against one of their session, because a screen makes several and an office has one address, and everything
 * else against the global one. Signed-in calls of /v1/auth against the session, others, and whatever tries a code or a
 * refresh token, against the client address. The session is not known to be active yet.
 */
const countersOf = ({ count, view, auth, signIn, dashboard, block, sessionId }: RequestQuery) =>
  // An open stream asks for its credential alone.
  count === 0
    ? []
    : [
        dashboard && sessionId
          ? { bucket: 'dashboard', subject: sessionId }
          : { bucket: view ? 'views' : 'global', subject: block },
        ...(auth ? [{ bucket: 'auth', subject: signIn ? block : (sessionId ?? block) }] : []),
      ]

interface Replay extends StoredReplyRow {
  organisation_id: string
  environment: string
  method: string
  path: string
  key: string
}

// One statement counts every request and reads every credential and every stored reply that may be replayed. A connection keeps its plan,
// so each of its parts can be read by a key alone, whatever the statistics say about a table that has grown since.
// Internal tokens are read only where one of the requests has one: 50 µs of 260 that all others need not pay.
// The position is read only where there is a standby.
const statement = (authentication: Authentication, withTokens: boolean, withPosition: boolean): string => `
  with hits as (${countHitsSql('$1', '$2', '$3', '$4')}),
  keys as (${authentication.keyRecordsSql('$5')}),
  sessions as (${authentication.sessionRecordsSql('$6')}),
  ${withTokens ? `tokens as (${authentication.tokenRecordsSql('$11')}),` : ''}
  replays as (
    select i.*
      from unnest($7::text[], $8::text[], $9::text[], $10::text[]) as r (lookup, method, path, key)
      cross join lateral (select organisation_id, environment from keys where lookup = r.lookup limit 1) as k
      cross join lateral (select k.organisation_id, k.environment, r.method, r.path, r.key) as q
      cross join lateral (${storedRepliesSql('q')}) as i
  )
  select (select coalesce(json_agg(hits), '[]') from hits) as hits,
         (select coalesce(json_agg(keys), '[]') from keys) as keys,
         (select coalesce(json_agg(sessions), '[]') from sessions) as sessions,
         ${withTokens ? "(select coalesce(json_agg(tokens), '[]') from tokens) as tokens," : ''}
         ${withPosition ? `${walPositionSql} as position,` : ''}
         (select coalesce(json_agg(replays), '[]') from replays) as replays`

/**
 * Reads the limits, credentials and stored replies of requests in one indexed statement. Requests that arrive while a
 * statement is in flight share the next one, each with its own position in the count, so limits are exact across processes.
 * Nothing is cached, so revocation, suspension and logout apply from the next request on.
 */
export function requestContexts(
  runtime: Runtime,
  authentication: Authentication,
): (query: RequestQuery) => Promise<RequestContext> {
  const { RATE_LIMIT_GLOBAL, RATE_LIMIT_VIEWS, RATE_LIMIT_DASHBOARD, RATE_LIMIT_AUTH, RATE_LIMIT_WINDOW_SECONDS } =
    gatewaySettings.from(runtime.settings)
  const limits: Record<string, number> = {
    global: RATE_LIMIT_GLOBAL,
    views: RATE_LIMIT_VIEWS,
    dashboard: RATE_LIMIT_DASHBOARD,
    auth: RATE_LIMIT_AUTH,
  }
  const hasStandby = runtime.standby !== undefined
  const plain = { name: 'request-context', text: statement(authentication, false, hasStandby) }
  const withTokens = { name: 'request-context-with-tokens', text: statement(authentication, true, hasStandby) }

  async function load(queries: readonly RequestQuery[]): Promise<RequestContext[]> {
    const counts = new Map<string, { bucket: string; subject: string; count: number }>()
    const positions = queries.map((query) =>
      countersOf(query).map(({ bucket, subject }) => {
        const counter = counts.get(`${bucket} ${subject}`) ?? { bucket, subject, count: 0 }
        counts.set(`${bucket} ${subject}`, counter)
        counter.count += query.count
        return { counter, position: counter.count }
      }),
    )
    const sorted = [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counter]) => counter)
    const replays = queries.flatMap(({ lookup, replay }) => (lookup && replay ? [{ lookup, ...replay }] : []))
    const tokenLookups = queries.flatMap(({ tokenLookup }) => tokenLookup ?? [])
    const { rows } = await runtime.priorityPool.query<{
      hits: Count[]
      keys: KeyRecord[]
      sessions: SessionRecord[]
      tokens?: TokenRecord[]
      replays: Replay[]
      position?: WalPosition
    }>({
      ...(tokenLookups.length > 0 ? withTokens : plain),
      values: [
        sorted.map((counter) => counter.bucket),
        sorted.map((counter) => counter.subject),
        sorted.map((counter) => counter.count),
        RATE_LIMIT_WINDOW_SECONDS,
        queries.flatMap(({ lookup }) => lookup ?? []),
        queries.flatMap(({ sessionId }) => sessionId ?? []),
        replays.map((replay) => replay.lookup),
        replays.map((replay) => replay.method),
        replays.map((replay) => replay.path),
        replays.map((replay) => replay.key),
        ...(tokenLookups.length > 0 ? [tokenLookups] : []),
      ],
    })
    const found = rows[0]
    if (!found) throw new Error('The request context is empty')

    return queries.map((query, index) => {
      const waits = (positions[index] ?? []).flatMap(({ counter, position }) => {
        const hit = found.hits.find((each) => each.bucket === counter.bucket && each.subject === counter.subject)
        const limit = limits[counter.bucket] ?? 0
        return hit && hit.count - counter.count + position > limit ? [Math.max(1, hit.wait)] : []
      })
      const key = query.lookup ? found.keys.find((each) => each.lookup === query.lookup) : undefined
      const { replay, tokenLookup } = query
      return {
        position: found.position,
        retryAfter: waits.length > 0 ? Math.max(...waits) : undefined,
        key,
        token: tokenLookup ? found.tokens?.find((each) => each.lookup === tokenLookup) : undefined,
        session: query.sessionId ? found.sessions.find((each) => each.id === query.sessionId) : undefined,
        replay:
          key && replay
            ? found.replays.find(
                (each) =>
                  each.organisation_id === key.organisation_id &&
                  each.environment === key.environment &&
                  each.method === replay.method &&
                  each.path === replay.path &&
                  each.key === replay.key,
              )
            : undefined,
      }
    })
  }

  return grouped(load)
}
