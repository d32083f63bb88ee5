import type { Inputs } from '@payments/client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Empty, Failure, Screen, Skeleton } from '../../parts/parts.tsx'
import { TransactionTable } from '../../parts/transaction-table.tsx'

type Filters = NonNullable<Inputs['transactions']['search']>

const KINDS = [
  ...['payment_route', 'swap', 'collection', 'offramp', 'onramp'],
  ...['cngn_convert', 'cngn_withdrawal', 'cngn_payout', 'cngn_payin', 'cngn_deposit'],
] as readonly NonNullable<Filters['kinds']>[number][]
const STATUSES = [
  ...['awaiting_deposit', 'awaiting_payment', 'pending', 'processing', 'swapping', 'underpaid', 'active', 'paused'],
  ...['settled', 'delivered', 'completed', 'paid', 'failed', 'expired', 'cancelled', 'returned', 'refunded', 'deleted'],
]

/** The day in the zone of the reader as a time; of a text that is no day, nothing. */
function startOf(day: string | null, daysLater = 0): string | undefined {
  const at = new Date(`${day}T00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + daysLater)
  return at.toISOString()
}

/** All transactions, filtered by what the address says. */
export function Transactions() {
  const { environment, api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const [, navigate] = useLocation()
  const kind = KINDS.find((each) => each === search.get('kind'))
  const status = STATUSES.find((each) => each === search.get('status'))
  const [from, until] = [startOf(search.get('from')), startOf(search.get('until'), 1)]
  const filters: Filters = {
    ...{ ...(kind ? { kinds: [kind] } : {}), ...(status ? { statuses: [status] } : {}) },
    ...{ ...(from ? { from } : {}), ...(until ? { to: until } : {}) },
  }
  const filtered = Object.keys(filters).length > 0
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [environment, 'transactions', filters],
    queryFn: ({ pageParam }) =>
      api.transactions.search.query({ ...filters, ...(pageParam ? { before: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const choose = (name: string, value: string) =>
    setSearch(
      (present) => {
        const next = new URLSearchParams(present)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: false },
    )
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const id = String(new FormData(event.currentTarget).get('id') ?? '').trim()
    if (id) navigate(`/transactions/${encodeURIComponent(id)}`)
  }
  const transactions = data?.pages.flatMap((page) => page.transactions) ?? []
  return (
    <Screen title="Transactions">
      <div className="filters">
        <form onSubmit={find}>
          <label>
            Find by id
            <input name="id" type="search" placeholder="Id of a transaction" autoComplete="off" />
          </label>
        </form>
        <label>
          Kind
          <select value={kind ?? ''} onChange={({ target }) => choose('kind', target.value)}>
            <option value="">All</option>
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {words(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Status
          <select value={status ?? ''} onChange={({ target }) => choose('status', target.value)}>
            <option value="">All</option>
            {STATUSES.map((each) => (
              <option key={each} value={each}>
                {words(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          From
          <input type="date" value={search.get('from') ?? ''} onChange={({ target }) => choose('from', target.value)} />
        </label>
        <label>
          To
          <input
            type="date"
            value={search.get('until') ?? ''}
            onChange={({ target }) => choose('until', target.value)}
          />
        </label>
        {filtered && (
          <button type="button" className="quiet" onClick={() => setSearch({})}>
            Clear filters
          </button>
        )}
      </div>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && transactions.length === 0 && filtered && (
        <Empty title="No transaction fits these filters">
          <button type="button" onClick={() => setSearch({})}>
            Clear filters
          </button>
        </Empty>
      )}
      {data && transactions.length === 0 && !filtered && (
        <Empty title="No transactions yet">
          <p>Whatever moves money is listed here: payments, swaps, conversions, payouts.</p>
          <p>
            <Link href="/collections?new=1">Create a payment link</Link>
            {environment === 'test' && ' and pay it in the sandbox with one click.'}
          </p>
        </Empty>
      )}
      {transactions.length > 0 && <TransactionTable transactions={transactions} />}
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading …' : 'Show more'}
        </button>
      )}
    </Screen>
  )
}
