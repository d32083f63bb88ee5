import { hash } from 'node:crypto'
import { addressBlock, constraintOf, type GatheredCall, type QueryContext, type UnitOfWork } from '@payments/platform'
import { errors } from '../errors.ts'
import { SESSIONS_PER_ADDRESS, SESSIONS_PER_LINK } from '../settings.ts'
import { openStates, payableStates } from '../states.ts'

const RETRY_SECONDS = 60

/** What identifies a client at one collection, without keeping its address. */
export const clientOf = (collectionId: string, ip = ''): string => hash('sha256', `${collectionId} ${addressBlock(ip)}`)

const listOf = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ')

/**
 * SQL: how many sessions of a collection are open, of one client and of all. Their order is that of the index of open ones: by another index, which
 * has every session that ever was, they would have to be sorted, so a plan that is kept is never of that one.
 */
const openSessions = (collection: string, client: string, where = 'true'): string => `
  select count(*) filter (where s.client = ${client})::int as own, count(*)::int as total
    from (select client from checkout_sessions
           where parent_id = ${collection} and status in (${listOf(openStates)}) and ${where} order by client offset 0) s`

/**
 * Refuses a start before a provider is asked. Starts at the same time may each find the last place free: {@link startWithCommit} decides.
 * @throws too_many_sessions 429
 */
export async function checkOpenSessions(
  { runtime }: QueryContext,
  collectionId: string,
  client: string,
): Promise<void> {
  const { rows } = await runtime.lookups.query<{ own: number; total: number }>(openSessions('$1', '$2'), [
    collectionId,
    client,
  ])
  const { own = 0, total = 0 } = rows[0] ?? {}
  if (own >= SESSIONS_PER_ADDRESS || total >= SESSIONS_PER_LINK)
    throw errors.too_many_sessions({ retryAfter: RETRY_SECONDS })
}

/** A session that starts with the commit. */
interface Start {
  readonly id: string
  readonly collectionId: string
  readonly client: string
}

const CLOSED = 'checkout_sessions_collection_payable'
const TOO_MANY = 'checkout_sessions_open_limit'

/**
 * Migration: the function that checks starts of sessions of one tenant, in the transaction that inserts them. It locks their collections
 * in the order of their ids until that transaction ends, and counts afterwards, each collection in a snapshot of its own: so of starts at the
 * same time the later ones count the earlier. Sessions that are starting are not counted as open ones, whether they are inserted already or not.
 */
export const startFunction = `create function check_session_starts(
    p_organisation uuid, p_environment text, p_sessions uuid[], p_collections uuid[], p_clients text[], p_own integer, p_total integer
  ) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    asked record;
    payable boolean;
    own integer;
    total integer;
  begin
    for asked in
      select n.collection, n.client, count(*)::int as own, (sum(count(*)) over (partition by n.collection))::int as total
        from unnest(p_collections, p_clients) as n (collection, client) group by 1, 2 order by 1, 2
    loop
      select c.status in (${listOf(payableStates)}) and (c.ends_at is null or c.ends_at > clock_timestamp()) into payable
        from collections c
       where c.organisation_id = p_organisation and c.environment = p_environment and c.id = any (array[asked.collection])
       order by c.id for no key update;
      if payable is not true then
        raise exception 'Collection % takes no payments', asked.collection
          using errcode = 'check_violation', table = 'checkout_sessions', constraint = '${CLOSED}';
      end if;
      select n.own, n.total into own, total from (${openSessions('asked.collection', 'asked.client', 'id <> all (p_sessions)')}) n;
      if own + asked.own > p_own or total + asked.total > p_total then
        raise exception 'Collection % has too many open sessions', asked.collection
          using errcode = 'check_violation', table = 'checkout_sessions', constraint = '${TOO_MANY}';
      end if;
    end loop;
    return cardinality(p_sessions);
  end $$`

/**
 * Has the commit check that the collection takes one more session, under its lock, which is held while the server runs that one statement.
 * Starts of one tenant that commit together are one call. The errors come with the commit.
 * @throws collection_closed 409, too_many_sessions 429
 */
export function startWithCommit(unit: UnitOfWork, start: Start): void {
  const { organisationId, environment } = unit.actor
  const call: GatheredCall<Start> = {
    key: `session starts ${organisationId} ${environment}`,
    expression: (starts) => ({
      text: 'check_session_starts($1, $2, $3, $4, $5, $6, $7)',
      values: [
        ...[organisationId, environment, starts.map(({ id }) => id)],
        ...[starts.map(({ collectionId }) => collectionId), starts.map(({ client }) => client)],
        ...[SESSIONS_PER_ADDRESS, SESSIONS_PER_LINK],
      ],
    }),
    errorOf(error) {
      const constraint = constraintOf(error)
      if (constraint === CLOSED) return errors.collection_closed({ cause: error })
      return constraint === TOO_MANY ? errors.too_many_sessions({ retryAfter: RETRY_SECONDS, cause: error }) : error
    },
  }
  unit.gather(call, start)
}
