import { type Actor, newId, type Runtime, type Seal } from '@payments/kernel'
import { sql } from 'kysely'
import type { StoredReply } from './admission.ts'
import { no } from './refusals.ts'

export interface Reply {
  readonly status: number
  readonly body: string
  readonly replayed: boolean
}

/** What makes two requests the same: organisation, environment, method, path and key, whatever their bodies. */
export interface Identity {
  readonly actor: Actor
  readonly method: string
  readonly path: string
  readonly key: string
}

/** Longer than a provider's deadline and a transaction's time-outs together: a lease that runs out belongs to a dead process. */
const LEASE_SECONDS = 45
const POLL_MS = 100

/** The other request with this key came first: this one's transaction must not commit. */
class KeyTaken extends Error {
  override name = 'KeyTaken'
}

/**
 * Runs a keyed request once. Duplicates in this process wait for the first one and hold no connection; across processes the
 * primary key of `idempotency_keys` decides: whoever stores the reply second rolls back and replays. A request that
 * fails stores nothing, and the next one with its key runs.
 */
export function idempotency(runtime: Runtime) {
  const { IDEMPOTENCY_RETENTION_HOURS, IDEMPOTENCY_WAIT_SECONDS } = runtime.settings
  const flights = new Map<string, Promise<Reply | undefined>>()

  /** Text that only this key's rows share, as associated data of an encrypted reply. */
  const contextOf = ({ actor, method, path, key }: Identity) =>
    `idempotency:${actor.organisationId}:${actor.environment}:${method}:${path}:${key}`

  const open = (identity: Identity, stored: StoredReply): Reply => ({
    status: stored.status,
    body: stored.sealed ? runtime.keyring.open(stored.reply, contextOf(identity)) : stored.reply,
    replayed: true,
  })

  async function stored(identity: Identity): Promise<Reply | undefined> {
    const { actor, method, path, key } = identity
    const { rows } = await runtime.pool.query<StoredReply>(
      `select status, reply, sealed from idempotency_keys
        where organisation_id = $1 and environment = $2 and method = $3 and path = $4 and key = $5 and reply is not null and expires_at > now()`,
      [actor.organisationId, actor.environment, method, path, key],
    )
    return rows[0] && open(identity, rows[0])
  }

  /** The statement that stores the reply, for the end of the command's transaction. It adds no row where the key is taken. */
  function sealOf(identity: Identity, fence: string, reply: { status: number; body: string }, secret: boolean) {
    const { actor, method, path, key } = identity
    const text = secret ? runtime.keyring.seal(reply.body, contextOf(identity)) : reply.body
    return sql`insert into idempotency_keys as i (organisation_id, environment, method, path, key, fence, status, reply, sealed, expires_at)
      values (${actor.organisationId}, ${actor.environment}, ${method}, ${path}, ${key}, ${fence}, ${reply.status}, ${text}, ${secret},
              now() + make_interval(secs => ${IDEMPOTENCY_RETENTION_HOURS * 3600}))
      on conflict (organisation_id, environment, method, path, key) do update
        set fence = excluded.fence, status = excluded.status, reply = excluded.reply, sealed = excluded.sealed, expires_at = excluded.expires_at
        where i.fence = excluded.fence or i.expires_at <= now()
      returning 1`
  }

  /** A short lease on the key before a provider is called, so that duplicates in other processes do not call it too. */
  async function lease({ actor, method, path, key }: Identity, fence: string): Promise<boolean> {
    // A lease that a crash of the database forgets had no holder left either, so it need not wait for the disk.
    const { rowCount } = await runtime.pool.query(
      `insert into idempotency_keys as i (organisation_id, environment, method, path, key, fence, expires_at)
       select $1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7) from set_config('synchronous_commit', 'off', true)
       on conflict (organisation_id, environment, method, path, key) do update
         set fence = excluded.fence, status = null, reply = null, sealed = false, expires_at = excluded.expires_at
         where i.expires_at <= now()`,
      [actor.organisationId, actor.environment, method, path, key, fence, LEASE_SECONDS],
    )
    return rowCount === 1
  }

  const unlease = ({ actor, method, path, key }: Identity, fence: string) =>
    runtime.pool.query(
      `delete from idempotency_keys where organisation_id = $1 and environment = $2 and method = $3 and path = $4 and key = $5 and fence = $6 and reply is null`,
      [actor.organisationId, actor.environment, method, path, key, fence],
    )

  type Run = (seal: Seal<unknown>) => Promise<void>

  async function lead(
    identity: Identity,
    options: { prepares: boolean; secret: boolean; status: number; bodyOf(data: unknown): string },
    run: Run,
    deadline: number,
  ): Promise<Reply> {
    const fence = newId()
    if (options.prepares) {
      while (!(await lease(identity, fence))) {
        const reply = await stored(identity)
        if (reply) return reply
        if (Date.now() >= deadline) throw no.key_in_progress({ retryAfter: 1 })
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    }
    let reply: Reply | undefined
    try {
      await run({
        statement(data) {
          reply = { status: options.status, body: options.bodyOf(data), replayed: false }
          return sealOf(identity, fence, reply, options.secret)
        },
        lost: () => new KeyTaken('The key was taken'),
      })
    } catch (error) {
      if (options.prepares)
        await unlease(identity, fence).catch((cause: unknown) =>
          runtime.log.warn({ err: cause }, 'lease not given back'),
        )
      // The same request may have won in another process; then this refusal is only the shadow of its success.
      const winner = await stored(identity)
      if (winner) return winner
      if (error instanceof KeyTaken) throw no.key_in_progress({ retryAfter: 1 })
      throw error
    }
    if (!reply) throw new Error('A keyed command ended without a reply')
    return reply
  }

  return {
    open,
    /** @throws Refusal 409 when the first request is still running after the wait limit; whatever `run` throws. */
    async once(
      identity: Identity,
      options: { prepares: boolean; secret: boolean; status: number; bodyOf(data: unknown): string },
      run: Run,
    ): Promise<Reply> {
      const name = contextOf(identity)
      const deadline = Date.now() + IDEMPOTENCY_WAIT_SECONDS * 1000
      for (;;) {
        const flight = flights.get(name)
        if (!flight) break
        let timer: NodeJS.Timeout | undefined
        const late = new Promise<'late'>((resolve) => {
          timer = setTimeout(resolve, Math.max(0, deadline - Date.now()), 'late')
        })
        const reply = await Promise.race([flight, late])
        clearTimeout(timer)
        if (reply === 'late') throw no.key_in_progress({ retryAfter: 1 })
        if (reply) return { ...reply, replayed: true }
      }
      const flight = lead(identity, options, run, deadline)
      flights.set(
        name,
        flight.catch(() => undefined),
      )
      try {
        return await flight
      } finally {
        flights.delete(name)
      }
    },
  }
}
