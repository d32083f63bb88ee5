import type { Tenant } from '@payments/kernel'
import type { Runtime, SqlExecutor } from '@payments/platform'

/** A tenant with events in the outbox. */
export type Waiting = Pick<Tenant, 'organisationId' | 'environment'>

/** Pending deliveries of a tenant: from so many on, its further events wait in the outbox. */
export const MAX_PENDING = 50_000
/** How long a count of pending deliveries is used, ms. */
const COUNTED_MS = 5000
/** The first and the longest wait after a temporary error, ms. */
const WAIT_MS = { first: 1000, longest: 30_000 }

interface State {
  pending: number
  countedAt: number
  failures: number
  /** Not served before. */
  until: number
}

/** Which tenants the fan-out serves now. The state is the process's own: after a restart, everything is tried and counted again. */
export interface Tenants {
  /** The first `limit` of those that neither wait after a temporary error nor have {@link MAX_PENDING} pending deliveries. */
  served(client: SqlExecutor, waiting: readonly Waiting[], limit: number): Promise<readonly Waiting[]>
  took(taken: readonly (Waiting & { endpoints: number })[]): void
  /** The only event of a tenant that was tried failed with a temporary error. */
  failed(tenant: Waiting): void
}

const all = new WeakMap<Runtime, Tenants>()

export function tenantsOf(runtime: Runtime): Tenants {
  const known = all.get(runtime) ?? createTenants()
  all.set(runtime, known)
  return known
}

function createTenants(): Tenants {
  const states = new Map<string, State>()
  const keyOf = ({ organisationId, environment }: Waiting) => `${environment} ${organisationId}`
  const stateOf = (tenant: Waiting): State => {
    const state = states.get(keyOf(tenant)) ?? {
      pending: 0,
      countedAt: Number.NEGATIVE_INFINITY,
      failures: 0,
      until: 0,
    }
    states.set(keyOf(tenant), state)
    return state
  }

  async function count(client: SqlExecutor, tenants: readonly Waiting[], now: number): Promise<void> {
    if (tenants.length === 0) return
    const { rows } = await client.query<Waiting & { pending: number }>(PENDING, [
      tenants.map(({ organisationId }) => organisationId),
      tenants.map(({ environment }) => environment),
      MAX_PENDING,
    ])
    for (const { pending, ...tenant } of rows) Object.assign(stateOf(tenant), { pending, countedAt: now })
  }

  return {
    async served(client, waiting, limit) {
      const now = Date.now()
      // What is forgotten is counted again.
      for (const [key, { countedAt, until }] of states)
        if (Math.max(countedAt + COUNTED_MS, until + 2 * WAIT_MS.longest) < now) states.delete(key)
      const ready = waiting.filter((tenant) => stateOf(tenant).until <= now)
      const served: Waiting[] = []
      for (let from = 0; served.length < limit && from < ready.length; from += limit) {
        const part = ready.slice(from, from + limit)
        await count(
          client,
          part.filter((tenant) => stateOf(tenant).countedAt + COUNTED_MS < now),
          now,
        )
        served.push(...part.filter((tenant) => stateOf(tenant).pending < MAX_PENDING))
      }
      return served.slice(0, limit)
    },
    took(taken) {
      for (const { endpoints, ...tenant } of taken) {
        const state = stateOf(tenant)
        state.pending += endpoints
        state.failures = 0
      }
    },
    failed(tenant) {
      const state = stateOf(tenant)
      state.until = Date.now() + Math.min(WAIT_MS.longest, WAIT_MS.first * 2 ** state.failures)
      state.failures++
    },
  }
}

/** SQL: how many deliveries of tenants are pending, up to a bound. */
const PENDING = `select t.organisation_id as "organisationId", t.environment, (
    select count(*)::int from (
      select from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id and d.status = 'pending'
       where w.organisation_id = t.organisation_id and w.environment = t.environment limit $3) p) as pending
  from unnest($1::uuid[], $2::text[]) as t (organisation_id, environment)`

/** How many deliveries of a tenant are pending, at most {@link MAX_PENDING}. */
export async function pendingOf(client: SqlExecutor, { organisationId, environment }: Waiting): Promise<number> {
  const { rows } = await client.query<{ pending: number }>(PENDING, [[organisationId], [environment], MAX_PENDING])
  return rows[0]?.pending ?? 0
}
