import { rows, type StandDatabase } from '@payments/stand'

/** What the journal holds for an object, minor units by purpose and asset: `external USDC`. */
export type Position = ReadonlyMap<string, bigint>

/** The journal, by the object that its entries are of. */
export async function journal(
  database: Pick<StandDatabase, 'pool'>,
  sourceTypes: readonly string[],
): Promise<ReadonlyMap<string, Position>> {
  const found = await rows<{ id: string; account: string; amount: string }>(
    database,
    `select e.source_id as id, a.purpose || ' ' || a.asset as account, sum(p.amount)::text as amount
       from ledger_entries e
       join ledger_postings p on p.organisation_id = e.organisation_id and p.environment = e.environment and p.entry_id = e.id
       join ledger_accounts a on a.organisation_id = p.organisation_id and a.environment = p.environment and a.id = p.account_id
      where e.source_type = any ($1) group by 1, 2`,
    [sourceTypes],
  )
  const positions = new Map<string, Map<string, bigint>>()
  for (const { id, account, amount } of found)
    positions.set(id, (positions.get(id) ?? new Map()).set(account, BigInt(amount)))
  return positions
}

interface StoredSession {
  readonly id: string
  readonly status: string
  readonly provider: string
  /** Among which operators find a report of it: one that is no deposit is listed with the route. */
  readonly objects: readonly string[]
}

/** The checkout sessions by their ids. */
export async function storedSessions(database: StandDatabase): Promise<ReadonlyMap<string, StoredSession>> {
  const found = await rows<StoredSession>(
    database,
    `select id, status, provider,
            array[s.route_id::text] || array(select d.id::text from payment_route_deposits d where d.payment_route_id = s.route_id) as objects
       from checkout_sessions s`,
  )
  return new Map(found.map((row) => [row.id, row]))
}

/** What of an expected position the journal does not show, as text; undefined when it shows all of it. */
export function mismatch(
  position: Position | undefined,
  expected: Readonly<Record<string, bigint>>,
): string | undefined {
  const wrong = Object.entries(expected).filter(([account, amount]) => (position?.get(account) ?? 0n) !== amount)
  if (wrong.length === 0) return undefined
  return wrong
    .map(([account, amount]) => `${account} ${position?.get(account) ?? 0n}, at the provider ${amount}`)
    .join('; ')
}
