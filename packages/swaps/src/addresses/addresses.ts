import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, environments } from '@payments/kernel'
import { earliest, grouped, prepared, type Runtime, type Task } from '@payments/platform'
import { errors } from '../errors.ts'
import { swapsProvider } from '../provider/provider.ts'
import { addressAt, pathOf, seedBytes, seedOf } from './keys.ts'

/** NOTIFY channel that triggers the derivation of more addresses. */
const ADDRESSES = 'swaps.addresses'
/** Addresses of an environment that are kept ready for new swaps. */
const READY = 100
/** Addresses that a request derives itself when none is ready, in a process that has the seed. */
const AT_ONCE = 20
/** How often a request looks for an address that others do not take first. */
const ATTEMPTS = 10
/** Each so many addresses that are taken, workers are asked for more. */
const ASK_EVERY = READY / 4
/** How long a request without a seed waits before it looks again: over all attempts, long enough for a worker to derive some. */
const WAIT_MS = 250

/** An address with the index that its key is derived with. */
export interface DerivedAddress {
  readonly index: number
  readonly address: string
}

/**
 * Derives the next addresses. Processes that do it at the same time derive the same ones, which are stored once. False in
 * a process without the seed.
 */
async function derive({ pool, settings }: Runtime, environment: Environment, count: number): Promise<boolean> {
  const seed = seedOf(settings)
  if (!seed || count <= 0) return seed !== undefined
  const { rows } = await pool.query<{ next: number }>(
    'select coalesce(max(derivation_index) + 1, 0)::int as next from swap_addresses where environment = $1',
    [environment],
  )
  const indexes = Array.from({ length: count }, (_, offset) => (rows[0]?.next ?? 0) + offset)
  await pool.query(
    `insert into swap_addresses (environment, derivation_index, address)
     select $1, a.derivation_index, a.address from unnest($2::int[], $3::text[]) as a (derivation_index, address)
     on conflict (environment, derivation_index) do nothing`,
    [environment, indexes, indexes.map((index) => addressAt(seed, environment, index))],
  )
  return true
}

/** Derivations of requests that are running, so that the requests of a process wait for the same one. */
const running = new WeakMap<Runtime, Map<Environment, Promise<boolean>>>()

function deriveForRequests(runtime: Runtime, environment: Environment): Promise<boolean> {
  const own = running.get(runtime) ?? new Map<Environment, Promise<boolean>>()
  running.set(runtime, own)
  const shared =
    own.get(environment) ?? derive(runtime, environment, AT_ONCE).finally(() => void own.delete(environment))
  own.set(environment, shared)
  return shared
}

/**
 * SQL: takes `$2` addresses of the environment `$1`. One plan serves any number: with a plan for the number that is asked for it would be planned each time, which
 * takes longer than to run it. The rows are found by an array: of a join the planner expects a tenth of all addresses, and reads them all.
 */
export const TAKE = `with free as materialized (
    select derivation_index from swap_addresses where environment = (select $1::text) and taken_at is null
     order by derivation_index limit (select $2::int) for update skip locked)
  update swap_addresses set taken_at = now()
   where environment = (select $1::text) and derivation_index = any (array(select derivation_index from free))
  returning derivation_index as index, address`

/** Takes addresses that are ready for the requests of a process that ask at the same time; undefined for those for which none is left. */
const takeReady = ({ pool }: Runtime, environment: Environment) =>
  grouped(async (requests: readonly undefined[]): Promise<(DerivedAddress | undefined)[]> => {
    const { rows } = await prepared(pool).query<DerivedAddress>(TAKE, [environment, requests.length])
    return requests.map((_, place) => rows[place])
  })

const readyOf = new WeakMap<Runtime, Record<Environment, ReturnType<typeof takeReady>>>()

/**
 * Takes an address that no swap ever had and none will ever have again. One whose swap is not created after all stays unused.
 * A process without the seed waits a moment for the workers.
 * @throws swap_provider_unavailable 503 when they have derived none in time
 */
export async function takeAddress(runtime: Runtime, environment: Environment): Promise<DerivedAddress> {
  const ready = readyOf.get(runtime) ?? { test: takeReady(runtime, 'test'), live: takeReady(runtime, 'live') }
  readyOf.set(runtime, ready)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const taken = await ready[environment](undefined)
    if (!taken || taken.index % ASK_EVERY === 0) runtime.trigger(ADDRESSES)
    if (taken) return taken
    if (!(await deriveForRequests(runtime, environment))) await sleep(WAIT_MS)
  }
  throw errors.swap_provider_unavailable({ retryAfter: 1 })
}

/** Where swaps are made. */
const needed = ({ providers }: Runtime): Environment[] =>
  environments.filter((environment) => providers.bound(swapsProvider, environment).length > 0)

/** SQL: the addresses of an environment that nobody has taken. */
const free = (environment: Environment): string =>
  `select from swap_addresses where environment = '${environment}' and taken_at is null`

/** Keeps addresses ready, so that the processes that answer requests need no seed. */
export const addressTask: Task = {
  name: ADDRESSES,
  because: 'A request that takes the last ready address waits for the next ones',
  isNeeded: ({ settings }) => seedOf(settings) !== undefined,
  due: (runtime) =>
    earliest(
      needed(runtime).map(
        (environment) => `case when not exists (${free(environment)} offset ${READY - 1}) then now() end`,
      ),
    ),
  runsIn: 'one-process',
  async run(runtime) {
    for (const environment of needed(runtime)) {
      const { rows } = await runtime.pool.query<{ ready: number }>(
        'select count(*)::int as ready from swap_addresses where environment = $1 and taken_at is null',
        [environment],
      )
      await derive(runtime, environment, READY - (rows[0]?.ready ?? 0))
    }
    return false
  },
}

/** A derived address with the swap that it belongs to. */
export interface ListedAddress extends DerivedAddress {
  readonly path: string
  /** The swap whose row the database has; null: none was created, or its row was lost. */
  readonly swapId: string | null
  readonly status: string | null
  /** The currency that the swap is from: what of it is there belongs to the swap. */
  readonly currency: string | null
  /** The swap may still need its address: it has not ended, or a transaction of it is under way. */
  readonly inUse: boolean
}

/** Derives the addresses of a range of indexes from the seed alone, and names the swap that the database has for each. */
export async function listAddresses(
  db: { query<R extends object>(text: string, values: unknown[]): Promise<{ rows: R[] }> },
  seed: string,
  environment: Environment,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<ListedAddress[]> {
  const derived = Array.from({ length: count }, (_, offset) => ({
    index: from + offset,
    address: addressAt(seedBytes(seed), environment, from + offset),
  }))
  const { rows } = await db.query<{
    id: string
    status: string
    deposit_address: string
    from_currency: string
    in_use: boolean
  }>(
    `select id, status, deposit_address, from_currency,
            status in ('awaiting_deposit', 'swapping', 'failed')
            or exists (select from swap_transactions t where t.swap_id = s.id and t.outcome is null) as in_use
       from swaps s where environment = $1 and deposit_address = any ($2)`,
    [environment, derived.map(({ address }) => address)],
  )
  const swaps = new Map(rows.map((row) => [row.deposit_address, row]))
  return derived.map(({ index, address }) => {
    const swap = swaps.get(address)
    return {
      index,
      address,
      path: pathOf(environment, index),
      swapId: swap?.id ?? null,
      status: swap?.status ?? null,
      currency: swap?.from_currency ?? null,
      inUse: swap?.in_use ?? false,
    }
  })
}

/** Stores a signed transaction that sweeps an address, before it is sent. */
export async function storeSweep(
  db: { query(text: string, values: unknown[]): Promise<unknown> },
  { signature, environment, address }: { signature: string; environment: Environment; address: string },
): Promise<void> {
  await db.query("insert into swap_upkeep (signature, environment, kind, address) values ($1, $2, 'sweep', $3)", [
    signature,
    environment,
    address,
  ])
}
