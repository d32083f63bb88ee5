/** A mutant that no test detects, and why none should. `change` is the text that the command prints. */
export interface Explained {
  readonly file: string
  readonly change: string
  readonly reason: string
}

const of =
  (file: string) =>
  (change: string, reason: string): Explained => ({ file, change, reason })
const seal = of('packages/ledger/src/journal/seal.ts')
const confirmation = of('packages/accounts/src/confirmation.ts')
const operators = of('packages/accounts/src/organisations/operators.ts')
const second = of('packages/platform/src/records/operators/second-operator.ts')
const post = of('packages/ledger/src/journal/post.ts')
const entries = of('packages/ledger/src/journal/entries.ts')
const money = of('packages/kernel/src/money/money.ts')
const schedule = of('packages/webhooks/src/deliveries/schedule.ts')
const webhookStates = of('packages/webhooks/src/states.ts')
const resource = of('packages/platform/src/domain/resource.ts')
const credentials = of('packages/accounts/src/authentication/credentials.ts')
const health = of('packages/webhooks/src/endpoints/endpoint-health.ts')
const queue = of('packages/webhooks/src/queue/queue.ts')
const fanOut = of('packages/webhooks/src/events/fan-out.ts')
const newDeliveries = of('packages/webhooks/src/events/new-deliveries.ts')
const deliveries = of('packages/webhooks/src/deliveries/deliveries.ts')
const recovery = of('packages/webhooks/src/deliveries/recovery.ts')
const fiatAmounts = of('packages/fiat/src/currencies/amounts.ts')
const execute = of('packages/api/src/execute.ts')

const NO_DATABASE =
  'Without it no key, session or token is found: every test over HTTP fails, but these run without a database'
const READ_FIRST =
  'Decides only which endpoints are read where 200 more are due than there is room for: the shares count what is in flight themselves'
const LOCK_ORDER =
  'The order of locks, which matters between two transactions: `npm run proof -- fuzz` fails for deadlocks'
const MORE_COLUMNS = 'Reads more columns than are used'
const ONE_ROW = 'A count has one row'
const COMPARED = 'tooling/generate/src/migrations/tables.test.ts compares the check with that of the database'

export const EXPLAINED: readonly Explained[] = [
  credentials(
    '` select k.id, k.organisation_id, k.environment, k.type, k.lookup, k.digest, k.scopes, k.allowed_ip… → ``',
    NO_DATABASE,
  ),
  credentials(
    '` select s.id, s.user_id, s.organisation_id, m.role, u.email, o.suspended_at is not null as suspend… → ``',
    NO_DATABASE,
  ),
  credentials(
    '` select t.id, t.organisation_id, t.created_by, t.lookup, t.digest, t.procedures, u.email, (t.revok… → ``',
    NO_DATABASE,
  ),
  credentials(
    '(lookups: string): string => ` select k.id, k.organisation_id, k.environment, k.type, k.lookup, k.d… → () => undefined',
    NO_DATABASE,
  ),
  credentials(
    '(lookups: string): string => ` select t.id, t.organisation_id, t.created_by, t.lookup, t.digest, t.… → () => undefined',
    NO_DATABASE,
  ),
  credentials(
    '(ids: string): string => ` select s.id, s.user_id, s.organisation_id, m.role, u.email, o.suspended_… → () => undefined',
    NO_DATABASE,
  ),
  fiatAmounts(`'' → "Stryker was here!"`, 'A text has a first part'),
  money(`'' → "Stryker was here!"`, 'A text has a first part'),
  money('units < 0n → units <= 0n', 'Minus zero is zero, and a test reads its text'),
  seal(`'ledger.seal' → ""`, 'Metrics and logs name the task'),
  seal(`'one-process' → ""`, 'Several sealers at once do no harm: a test runs six'),
  confirmation("{ fields: ['confirmedAt'] } → {}", MORE_COLUMNS),
  confirmation('Date.now() - at >= CONFIRMED_MS → Date.now() - at > CONFIRMED_MS', 'A millisecond'),
  operators("{ fields: ['operator'] } → {}", MORE_COLUMNS),
  second('amount < 0n → amount <= 0n', 'Minus zero is zero'),
  post('amount > 0n → amount >= 0n', 'No posting of zero is shown'),
  entries('a.accountId < b.accountId → a.accountId <= b.accountId', 'No two lines have the same account'),
  schedule(`'' → "Stryker was here!"`, 'Neither a number nor a date, like no header'),
  resource('true → false', 'MikroORM reads a row again when it locks it; `refresh` says so to the reader'),
  webhookStates(`'webhook_delivery' → ""`, 'No message names this table of states'),
  webhookStates(`'next_attempt_at' → ""`, COMPARED),
  webhookStates(`['next_attempt_at'] → []`, COMPARED),
  health("{ fields: ['id'] } → {}", MORE_COLUMNS),
  health("['id'] → []", MORE_COLUMNS),
  health(
    "row.status !== 'enabled' → false",
    'Disabled between the read and the lock: a moment that no test can hold open',
  ),
  health('failing.seconds >= DISABLE_HOURS * HOUR → failing.seconds > DISABLE_HOURS * HOUR', 'A microsecond'),
  queue('[...capacity.busy.keys()] → []', READ_FIRST),
  queue('[...capacity.busy.values()] → []', READ_FIRST),
  queue('({ all }) => all → () => undefined', READ_FIRST),
  queue('shares.length === 0 → false', 'The statements then find nothing: the condition saves them'),
  fanOut('only === undefined → false', 'One event was tried, so there is one'),
  newDeliveries('[] → ["Stryker was here"]', 'No event has a type of that name'),
  newDeliveries('rows[0]?.count → rows[0].count', ONE_ROW),
  deliveries('!row || !event → !row && !event', 'A delivery refers to its event by a foreign key'),
  recovery('rows[0]?.found → rows[0].found', ONE_ROW),
  recovery('found === 0 → false', 'The statement then inserts nothing: the condition saves it'),
  recovery("['id'] → []", MORE_COLUMNS),
  recovery("{ id: 'asc' } → {}", LOCK_ORDER),
  recovery('true → false', 'A row that is locked is read again'),
  execute('Date.now() >= deadline → Date.now() > deadline', 'A millisecond'),
  execute('false → true', 'Without a lease there is no row to delete: `leased` saves a statement'),
  execute('leased → true', 'Without a lease there is no row to delete: the condition saves a statement'),
  execute('isDatabaseUnavailable(error) → false', 'The query for the stored reply then fails in the same way'),
  execute(
    'operation.query?.(context, parsed as never, call) → operation.query(context, parsed as never, call)',
    'An operation without any other handler has a query',
  ),
]
