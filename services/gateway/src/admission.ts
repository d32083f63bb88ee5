import { type KeyFacts, keyFactsSql, type SessionFacts, sessionFactsSql } from '@payments/accounts'
import type { Environment, Runtime } from '@payments/kernel'
import DataLoader from 'dataloader'

/** What one request needs to know before anything else. */
export interface Question {
  readonly ip: string
  /** How many requests it stands for: a tRPC batch counts each of its calls. */
  readonly count: number
  readonly auth: boolean
  readonly lookup: string | undefined
  readonly sessionId: string | undefined
  readonly replay: { readonly method: string; readonly path: string; readonly key: string } | undefined
}

export interface StoredReply {
  readonly status: number
  readonly reply: string
  readonly sealed: boolean
}

export interface Admission {
  /** Seconds until the caller may try again, when a limit is used up. */
  readonly retryAfter: number | undefined
  readonly key: KeyFacts | undefined
  readonly session: SessionFacts | undefined
  readonly replay: StoredReply | undefined
}

interface Hit {
  bucket: string
  subject: string
  count: number
  wait: number
}
interface Replay extends StoredReply {
  organisation_id: string
  environment: Environment
  method: string
  path: string
  key: string
}

// One statement: counts every request, reads every credential and every stored reply that may be replayed.
// Hits are merged and sorted before they come here, so that two processes lock the counters in one order. The limits in
// `replays` keep the planner on the primary key, whatever it believes of a table that grew since its last statistics.
const SQL = `
  with hits as (
    insert into rate_limits as r (bucket, subject, count, ends_at)
    select h.bucket, h.subject, h.count, now() + make_interval(secs => $4)
      from unnest($1::text[], $2::text[], $3::int[]) as h (bucket, subject, count)
    on conflict (bucket, subject) do update set
      count = case when r.ends_at <= now() then excluded.count else r.count + excluded.count end,
      ends_at = case when r.ends_at <= now() then excluded.ends_at else r.ends_at end
    returning bucket, subject, count, ceil(extract(epoch from ends_at - now()))::int as wait
  ), keys as (${keyFactsSql('$5')}),
  sessions as (${sessionFactsSql('$6')}),
  replays as (
    select i.*
      from unnest($7::text[], $8::text[], $9::text[], $10::text[]) as q (lookup, method, path, key)
      cross join lateral (select organisation_id, environment from api_keys where lookup = q.lookup limit 1) as k
      cross join lateral (
        select organisation_id, environment, method, path, key, status, reply, sealed
          from idempotency_keys
         where organisation_id = k.organisation_id and environment = k.environment and method = q.method and path = q.path and key = q.key
           and reply is not null and expires_at > now()
         limit 1
      ) as i
  )
  select (select coalesce(json_agg(hits), '[]') from hits) as hits,
         (select coalesce(json_agg(keys), '[]') from keys) as keys,
         (select coalesce(json_agg(sessions), '[]') from sessions) as sessions,
         (select coalesce(json_agg(replays), '[]') from replays) as replays`

/**
 * Admits requests: limits, credential facts and stored replies in one indexed statement. Requests that arrive while a
 * statement is under way share the next one, each with its own place in the count; so limits are exact across
 * processes and nothing is cached: revocation, suspension and logout hold for the very next request.
 */
export function admissions(runtime: Runtime): (question: Question) => Promise<Admission> {
  const { RATE_LIMIT_GLOBAL, RATE_LIMIT_AUTH, RATE_LIMIT_WINDOW_SECONDS } = runtime.settings
  let flying = false
  let waiting: (() => void) | undefined
  const loader = new DataLoader<Question, Admission>(
    async (questions) => {
      flying = true
      try {
        return await ask(questions)
      } finally {
        flying = false
        waiting?.()
        waiting = undefined
      }
    },
    {
      cache: false,
      maxBatchSize: 256,
      batchScheduleFn(send) {
        if (flying) waiting = send
        else setImmediate(send)
      },
    },
  )

  async function ask(questions: readonly Question[]): Promise<Admission[]> {
    const counts = new Map<string, { bucket: string; subject: string; count: number }>()
    const places = questions.map(({ ip, auth, count }) =>
      (auth ? ['global', 'auth'] : ['global']).map((bucket) => {
        const counter = counts.get(`${bucket} ${ip}`) ?? { bucket, subject: ip, count: 0 }
        counts.set(`${bucket} ${ip}`, counter)
        counter.count += count
        return { counter, place: counter.count }
      }),
    )
    const sorted = [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counter]) => counter)
    const replays = questions.flatMap(({ lookup, replay }) => (lookup && replay ? [{ lookup, ...replay }] : []))
    const { rows } = await runtime.pool.query<{
      hits: Hit[]
      keys: KeyFacts[]
      sessions: SessionFacts[]
      replays: Replay[]
    }>({
      name: 'admission',
      text: SQL,
      values: [
        sorted.map((counter) => counter.bucket),
        sorted.map((counter) => counter.subject),
        sorted.map((counter) => counter.count),
        RATE_LIMIT_WINDOW_SECONDS,
        questions.flatMap(({ lookup }) => lookup ?? []),
        questions.flatMap(({ sessionId }) => sessionId ?? []),
        replays.map((replay) => replay.lookup),
        replays.map((replay) => replay.method),
        replays.map((replay) => replay.path),
        replays.map((replay) => replay.key),
      ],
    })
    const found = rows[0]
    if (!found) throw new Error('Admission answered nothing')

    return questions.map((question, index) => {
      const waits = (places[index] ?? []).flatMap(({ counter, place }) => {
        const hit = found.hits.find((each) => each.bucket === counter.bucket && each.subject === counter.subject)
        const limit = counter.bucket === 'auth' ? RATE_LIMIT_AUTH : RATE_LIMIT_GLOBAL
        return hit && hit.count - counter.count + place > limit ? [Math.max(1, hit.wait)] : []
      })
      const key = question.lookup ? found.keys.find((each) => each.lookup === question.lookup) : undefined
      const { replay } = question
      return {
        retryAfter: waits.length > 0 ? Math.max(...waits) : undefined,
        key,
        session: question.sessionId ? found.sessions.find((each) => each.id === question.sessionId) : undefined,
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

  return (question) => loader.load(question)
}
