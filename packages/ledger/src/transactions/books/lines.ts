import { joinCustomerName } from '@payments/customers'
import {
  type AssetSymbol,
  assetNamed,
  kindDeclarations,
  type TransactionKind,
  toDecimal,
  zoneOf,
} from '@payments/kernel'
import { inTurn, type QueryContext, rangeIn, readSnapshot } from '@payments/platform'
import type { Purpose } from '../../model/accounts.ts'
import { conditionsOf } from '../conditions.ts'
import { transactionsExport } from '../export.ts'
import type { TransactionFilters } from '../search-schemas.ts'

/** What one account of the books gained, or lost. */
export interface BookPosting {
  readonly account: BookAccount
  readonly asset: AssetSymbol
  /** Minor units. */
  readonly units: bigint
}

/** One dated entry of the books: postings sum to zero in each asset. */
export interface BookEntry {
  /** Day of the time zone, `2026-01-31`. */
  readonly date: string
  readonly id: string
  readonly kind: TransactionKind
  /** True for what happened to a transaction after it had settled, such as a return. */
  readonly later: boolean
  readonly customer: string
  readonly title: string
  readonly reference: string
  readonly postings: readonly BookPosting[]
}

/** What an account of the journal is in the books of the organisation. */
type BookAccount = 'wallet' | 'balance' | 'transit' | 'held' | 'fees' | 'conversion' | 'income' | 'expense'

/** Accounts of what the organisation has. */
const ASSETS: readonly BookAccount[] = ['wallet', 'balance', 'transit', 'held']
export const isAsset = (account: BookAccount): boolean => ASSETS.includes(account)

/** The account of the books for an account of the journal, by the declaration of the kind alone. */
function accountOf(kind: TransactionKind, purpose: Purpose): BookAccount {
  const { direction, external } = kindDeclarations[kind]
  switch (purpose) {
    case 'available':
    case 'reserved':
      return 'balance'
    case 'clearing':
      return 'transit'
    case 'suspense':
      return 'held'
    case 'fees':
      return 'fees'
    case 'exchange':
      return 'conversion'
    case 'external':
      return external === 'wallet' ? 'wallet' : direction === 'in' ? 'income' : 'expense'
    case 'destination':
      return direction === 'out' ? 'expense' : 'wallet'
  }
}

interface Row {
  readonly date: string
  readonly id: string
  readonly kind: TransactionKind
  readonly later: boolean
  readonly customer: string | null
  readonly title: string | null
  readonly reference: string | null
  readonly legs: readonly { readonly purpose: Purpose; readonly asset: AssetSymbol; readonly units: string }[] | null
}

/**
 * The clocks of a process and of the database differ by less, and so does the time from a change to its commit. What is posted until then is
 * part of the settlement.
 */
const SETTLING = "interval '10 seconds'"

/** SQL: the sums of the postings of the entries `e` that the condition chooses, by purpose and asset. */
const legs = (condition: string): string =>
  `(select jsonb_agg(jsonb_build_object('purpose', l.purpose, 'asset', l.asset, 'units', l.units::text) order by l.asset, l.purpose)
      from (select a.purpose, p.asset, sum(p.amount) as units
              from ledger_entries e
              join ledger_postings p on (p.organisation_id, p.environment, p.entry_id) = (e.organisation_id, e.environment, e.id)
              join ledger_accounts a on (a.organisation_id, a.environment, a.id) = (p.organisation_id, p.environment, p.account_id)
             where e.organisation_id = t.organisation_id and e.environment = t.environment and ${condition}
             group by a.purpose, p.asset having sum(p.amount) <> 0) l)`

const { reference, title } = transactionsExport.columns
const FIELDS = `t.id, t.kind, c.name as customer, ${title} as title, ${reference} as reference`
const inRange = (time: string): string =>
  `($1::timestamptz is null or ${time} >= $1) and ($2::timestamptz is null or ${time} < $2)`

/** Which transactions, and which time of the books. */
export type BookFilters = TransactionFilters & {
  readonly settledFrom?: string | undefined
  readonly settledTo?: string | undefined
  readonly timeZone?: string | undefined
}

/**
 * The books of the transactions that have settled and fit the filters, oldest first, from one snapshot. What the journal has of a
 * transaction until it settled is one entry, on the day on which it settled; what was posted afterwards is an entry on its own day. Neither
 * ever changes, so a range of days that has ended keeps its entries.
 * @throws validation_failed 422 on `timeZone`, organisation_busy 429, busy 503
 */
export async function* bookEntries(
  context: QueryContext,
  { settledFrom, settledTo, timeZone = zoneOf(context.actor), ...filters }: BookFilters,
  signal: AbortSignal,
): AsyncGenerator<readonly BookEntry[]> {
  const { organisationId } = context.actor
  const range = rangeIn(timeZone, { from: settledFrom, to: settledTo })
  const fitting = await conditionsOf(context, filters, 3)
  const text = `select (u.at)::date::text as date, u.* from (
      (select t.succeeded_at as at, false as later, ${FIELDS},
              ${legs(`e.source_id = t.id and e.created_at <= t.succeeded_at + ${SETTLING}`)} as legs
         from transactions t ${joinCustomerName('c', 't')}
        where t.succeeded_at is not null and ${inRange('t.succeeded_at')} and ${fitting.sql}
        order by t.succeeded_at, t.id)
      union all
      (select n.created_at, true, ${FIELDS}, ${legs('e.id = n.id')}
         from ledger_entries n
         join transactions t on (t.organisation_id, t.environment, t.id) = (n.organisation_id, n.environment, n.source_id)
         ${joinCustomerName('c', 't')}
        where n.organisation_id::text = $3::uuid::text and n.environment = $4 and ${inRange('n.created_at')}
          and n.created_at > t.succeeded_at + ${SETTLING} and ${fitting.sql}
        order by n.created_at, t.id)) u
    order by u.at, u.id`
  const query = { organisationId, text, values: [range.from ?? null, range.to ?? null, ...fitting.values], timeZone }
  const batches = readSnapshot<Row>(context, query, signal)
  try {
    while (true) {
      const batch = await inTurn(() => batches.next())
      if (batch.done) return
      yield batch.value.map(entryOf).filter(({ postings }) => postings.length > 0)
    }
  } finally {
    await batches.return(undefined)
  }
}

function entryOf({ legs: all, customer, title: text, reference: own, ...row }: Row): BookEntry {
  const sums = new Map<string, BookPosting>()
  for (const { purpose, asset, units } of all ?? []) {
    const account = accountOf(row.kind, purpose)
    const key = `${account} ${asset}`
    sums.set(key, { account, asset, units: BigInt(units) + (sums.get(key)?.units ?? 0n) })
  }
  const postings = [...sums.values()].filter(({ units }) => units !== 0n)
  return { ...row, customer: customer ?? '', title: text ?? '', reference: own ?? '', postings }
}

/** Minor units as decimal text. */
export const amountOf = ({ units, asset }: Pick<BookPosting, 'units' | 'asset'>): string =>
  toDecimal(units, assetNamed(asset))
