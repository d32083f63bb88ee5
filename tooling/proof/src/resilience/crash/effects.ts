import { everyDomain } from '@payments/api'
import { checkLedger } from '@payments/ledger'
import { rows, type StandDatabase } from '@payments/stand'

/** A statement that returns one row for each violation: the object, and what is wrong with it. */
interface Invariant {
  readonly name: string
  readonly sql: string
}

/** The jobs of which the next run does what one that was given up has not done. */
const recurring = everyDomain.flatMap(({ work }) =>
  (work?.jobs ?? []).flatMap(({ name, schedule }) => (schedule ? [`'${name}'`] : [])),
)

/** What must be true of the sandbox providers' own records, and of the service's, when everything has ended. */
const invariants: readonly Invariant[] = [
  {
    name: 'each deposit at a deposit address became one deposit of its route, with its amount',
    sql: `select r.id, format('%s deposits of %s at the service', count(d.id), r.amount) as found
            from sandbox_relay_requests r left join payment_route_deposits d
              on d.relay_request_id = r.id and d.origin_amount = r.amount
            join payment_routes p on p.deposit_address = r.address and not p.hidden
           group by r.id having count(d.id) <> 1`,
  },
  {
    name: 'each order of local fiat was placed once, with its amount, and no other order holds money',
    sql: `select coalesce(o.id, s.reference)::text as id, format('order %s, at the provider %s', o.amount, s.amount) as found
            from (select id, asset_amount as amount from (
                    select id, amount as asset_amount from offramps union all select id, amount from onramps) x) o
            full join sandbox_fiat_orders s on s.reference = o.id
           where (o.id is null and s.received_amount is not null) or (o.id is not null and s.reference is null)
              or (o.id is not null and o.amount <> s.amount)`,
  },
  {
    name: 'what was deposited for a swap left its address exactly once',
    sql: `select s.id::text, format('deposited %s, left %s in %s transactions', d.amount, coalesce(t.amount, 0), coalesce(t.count, 0)) as found
            from swaps s
            join (select address, sum(amount) as amount from sandbox_swap_deposits group by address) d on d.address = s.deposit_address
            left join (select address, sum(amount) as amount, count(*) as count from sandbox_swap_transactions where not fails group by address) t
              on t.address = s.deposit_address
           where t.amount is distinct from d.amount or t.count <> 1`,
  },
  {
    name: 'each order that sends cNGN reached the provider once, with its amount',
    sql: `select coalesce(t.id::text, x.reference) as id, format('%s of %s, at the provider %s', t.kind, t.amount, x.amount) as found
            from (select id, kind, amount from cngn_transfers
                   where kind in ('payout', 'withdrawal') or (kind = 'convert' and from_currency = 'cNGN')) t
            full join (select reference, amount from sandbox_cngn_transactions where channel in ('payout', 'withdrawal')) x
              on x.reference = t.id::text
           where t.id is null or x.reference is null or x.amount <> t.amount`,
  },
  {
    name: 'each arrival of cNGN was credited once',
    sql: `select x.reference as id, format('%s receipts', count(r.id)) as found
            from sandbox_cngn_transactions x
            left join cngn_receipts r on r.reference = x.reference and r.account = x.account and r.status = 'credited' and r.amount = x.amount
           where x.channel in ('bank_in', 'crypto_in') group by x.reference having count(r.id) <> 1`,
  },
  {
    name: 'the treasury of cNGN holds what the journal holds for customers',
    sql: `select 'treasury' as id, format('provider %s, journal %s', balance, journal) as found from (
            select (select coalesce(sum(case
                        when channel in ('bank_in', 'crypto_in') then coalesce(converted_amount, amount - fee)
                        when channel = 'payout' and targets[1] in ('0000000000', '0000000001', '0000000002') then 0
                        else -amount end), 0) from sandbox_cngn_transactions) as balance,
                   (select coalesce(sum(balance), 0) from ledger_accounts
                     where asset = 'cNGN' and environment = 'test' and purpose in ('available', 'reserved', 'suspense')) as journal) b
           where balance <> journal`,
  },
  {
    name: 'a change of status has one event',
    sql: `select resource_id::text as id, format('%s events: %s %s to %s', count(*), type, payload->'data'->>'previousStatus', payload->'data'->>'status') as found
            from events where payload->'data'->'previousStatus' is not null
              and payload->'data'->>'status' is distinct from payload->'data'->>'previousStatus'
           group by resource_id, type, payload->'data'->>'previousStatus', payload->'data'->>'status' having count(*) > 1`,
  },
  {
    name: 'a change is notified once',
    sql: `select resource_id::text as id, format('%s notifications %s', count(*), type) as found from notifications
           where type not like 'session.%' and type not like 'api_key.%' and type not like 'webhook%'
           group by resource_id, type having count(*) > 1`,
  },
  {
    name: 'no event waits to be fanned out or was set aside',
    sql: `select id::text, format('%s %s', type, set_aside_reason) as found from events where drained_at is null or set_aside_reason is not null`,
  },
  {
    name: 'every delivery ended',
    sql: `select id::text, format('%s %s after %s attempts', event_type, status, jsonb_array_length(attempts)) as found
            from webhook_deliveries where status <> 'delivered'`,
  },
  {
    name: 'no job was given up, but those that recur',
    sql: `select id::text, format('%s %s', name, output) as found from pgboss.job
           where state = 'failed' and name not in (${recurring.join(', ')})`,
  },
]

/** Checks the books of the providers against those of the service, and the ledger against itself. */
export async function checkEffects(
  database: Pick<StandDatabase, 'pool'>,
): Promise<{ findings: string[]; walked: Record<string, number> }> {
  const findings: string[] = []
  for (const { name, sql } of invariants) {
    const violations = await rows<{ id: string; found: string }>(database, sql)
    for (const { id, found } of violations) findings.push(`${name}: not ${id} (${found})`)
  }
  const service = { pool: database.pool, domains: everyDomain }
  const ledger = await checkLedger(service)
  for (const { check, id, message } of ledger.findings) findings.push(`ledger, ${check} ${id}: ${message}`)
  return { findings, walked: ledger.walked }
}
