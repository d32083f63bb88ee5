import { NIL_ID } from '@payments/kernel'
import type { Runtime } from '@payments/platform'

/** What columns without a foreign key name by their name, whatever their table. */
const BY_NAME: Readonly<Record<string, string>> = {
  customer_id: 'customers',
  endpoint_id: 'webhook_endpoints',
  entry_id: 'ledger_entries',
  entry_ids: 'ledger_entries',
  key_id: 'api_keys',
  move_id: 'organisation_moves',
  operator_id: 'users',
  organisation_id: 'organisations',
  payment_route_id: 'payment_routes',
  session_id: 'sessions',
}

/**
 * Other columns that name an object and have no foreign key, with the tables that hold such objects (by `id`, or the column named). What is
 * neither here nor above must have a foreign key: a new column without either is a finding.
 */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  'api_keys.created_by': ['users'],
  'checkout_sessions.route_id': ['payment_routes'],
  'cngn_forgotten.order_id': ['cngn_sends'],
  'cngn_receipts.transfer_id': ['cngn_transfers'],
  'cngn_transfers.approval_decided_by': ['users'],
  'cngn_transfers.approval_requested_by': ['users'],
  'cngn_transfers.related_payin_id': ['cngn_transfers'],
  'events.resource_id': [
    'cngn_transfers',
    'cngn_enablements',
    'checkout_sessions',
    'collections',
    'customers',
    'offramps',
    'onramps',
    'payment_route_deposits',
    'payment_routes',
    'swaps',
    'webhook_endpoints',
  ],
  'ledger_entries.source_id': ['transactions', 'customers', 'cngn_receipts', 'audit_log.resource_id'],
  'onramps.owner_id': ['checkout_sessions'],
  'operator_approvals.decided_by': ['users'],
  'operator_approvals.requested_by': ['users'],
  'payment_route_requests.deposit_id': ['payment_route_deposits'],
}

/** Columns of ids that name no row of another table, and why. */
const FREE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['organisation_id', 'requested_by', 'resource_id', 'session_id', 'token_id', 'user_id'].map((column) => [
      `audit_log.${column}`,
      'an entry stays as it was written, whatever becomes of what it names',
    ]),
  ),
  'idempotency_keys.fence': 'who holds the lease',
  'idempotency_keys.resource_id': 'of any kind that a command answers with',
  'notifications.resource_id': 'of any kind, also a key that was revoked or a session that has ended',
  'offramps.quote_id': 'a quote is deleted a week after it expired',
  'operator_resolutions.resource_id': 'of any kind that can need an operator',
  'provider_calls.resource_id': 'a provider is called before its object is stored here',
  'provider_reports.resource_id': 'a report can name an object that was rolled back after the provider was called',
  'provider_choices.resource_id': 'of any kind that a provider carries',
  'request_log.resource_id': 'what the path named, whether it exists or not',
  'sandbox_fiat_orders.reference': 'the provider knows an order before it is stored here',
  'sandbox_relay_addresses.route_id': 'the provider knows an address before its route is stored here',
  'webhook_changes.after_id': 'the place that a change has reached, whose delivery may be deleted meanwhile',
  'webhook_deliveries.claim': 'the batch of a worker',
}

/** Counts of a whole organisation have this in place of a customer. */
const ALL = NIL_ID

interface Column {
  readonly name: string
  readonly table: string
  readonly column: string
  readonly list: boolean
}

/** Every column of ids that neither is a key of its own table nor has a foreign key. */
const COLUMNS = `select c.relname || '.' || a.attname as name, c.relname as table, a.attname as column, a.atttypid = 'uuid[]'::regtype as list
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
   where a.attnum > 0 and not a.attisdropped and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype) and a.attname <> 'id'
     and not exists (select from pg_constraint f where f.contype = 'f' and f.conrelid = c.oid and a.attnum = any(f.conkey))
   order by 1`

/** What names an object that does not exist, and how many columns were looked at, in all rows of the database. */
export async function referenceProblems({ pool }: Pick<Runtime, 'pool'>): Promise<{
  readonly problems: readonly string[]
  readonly checked: number
}> {
  const problems: string[] = []
  const { rows: unchecked } = await pool.query(
    "select conrelid::regclass || '.' || conname as name from pg_constraint where contype = 'f' and not convalidated",
  )
  problems.push(...unchecked.map(({ name }) => `The foreign key ${name} was never validated`))
  const { rows: columns } = await pool.query<Column>(COLUMNS)
  const unknown = new Set([...Object.keys(NAMED), ...Object.keys(FREE)])
  for (const { name, table, column, list } of columns) {
    unknown.delete(name)
    if (FREE[name]) continue
    const targets = NAMED[name] ?? (BY_NAME[column] ? [BY_NAME[column]] : undefined)
    if (!targets) {
      problems.push(`${name} names an object without a foreign key`)
      continue
    }
    const value = list ? `unnest(${column})` : column
    const missing = targets
      .map((target) => target.split('.'))
      .map(([target, key = 'id']) => `not exists (select from ${target} t where t.${key} = r.named)`)
      .join(' and ')
    const { rows } = await pool.query<{ named: string }>(
      `select r.named::text from (select distinct ${value} as named from ${table}) r
        where r.named is not null and r.named <> '${ALL}' and ${missing} limit 5`,
    )
    problems.push(...rows.map(({ named }) => `${name} names ${named}, which is not in ${targets.join(', ')}`))
  }
  problems.push(...[...unknown].map((name) => `${name} is listed and does not exist, or has a foreign key`))
  return { problems, checked: columns.length }
}
