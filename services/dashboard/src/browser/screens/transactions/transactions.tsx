import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { afterPaint } from '../../parts/frame/after-paint.ts'
import { TransactionTable } from '../../parts/object/transaction-table.tsx'
import { After, Before, shownOf, usePages } from '../../parts/pages.tsx'
import { Empty, Failure, Screen, Skeleton } from '../../parts/parts.tsx'
import { Export } from './export.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filtersIn } from './filters.ts'
import { Views } from './views.tsx'

/**
 * All transactions, filtered by what the address says. Statuses change where they stand; what is new is announced, and shown on
 * demand, so that nothing that is read moves.
 */
export function Transactions() {
  const { environment, api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const [until, setUntil] = useState(() => new Date().toISOString())
  const filters = filtersIn(search)
  const isFiltered = Object.keys(filters).length > 0
  const shown = { ...filters, to: filters.to && filters.to < until ? filters.to : until }
  const pages = usePages({
    queryKey: [environment, 'transactions', shown],
    read: (page) => api.transactions.search.query({ ...shown, ...page }),
    rowsOf: (page) => page.transactions.length,
  })
  const { data, error, refetch, isPlaceholderData, skipped } = pages
  const newer = useQuery({
    queryKey: [environment, 'newer-transactions', filters, until],
    queryFn: () => api.transactions.search.query({ ...filters, from: until, limit: 1 }),
    enabled: filters.from === undefined || filters.from < until,
  })
  const fresh = newer.data?.total ?? 0
  const transactions = useMemo(() => data?.pages.flatMap((page) => page.transactions) ?? [], [data])
  const total = data?.pages[0]?.total ?? 0
  return (
    <Screen
      title="Transactions"
      actions={
        <button type="button" disabled={total === 0} onClick={() => afterPaint(() => change('export', '1'))}>
          Export
        </button>
      }
    >
      <Views />
      <FilterBar />
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && transactions.length === 0 && fresh === 0 && <NothingFound isFiltered={isFiltered} />}
      <p className="count" role="status">
        {data &&
          total > 0 &&
          `${total.toLocaleString('en')} ${total === 1 ? 'transaction' : 'transactions'}${shownOf(skipped, transactions.length)}`}
        {fresh > 0 && (
          <button type="button" className="fresh" onClick={() => setUntil(new Date().toISOString())}>
            Show {fresh.toLocaleString('en')} new
          </button>
        )}
      </p>
      <Before of={pages} />
      {transactions.length > 0 && (
        <div className={isPlaceholderData ? 'stale' : undefined}>
          <TransactionTable transactions={transactions} />
        </div>
      )}
      <After of={pages} />
      {search.has('export') && total > 0 && <Export filters={shown} total={total} close={() => change('export', '')} />}
    </Screen>
  )

  function change(name: string, value: string): void {
    setSearch((present) => {
      const next = new URLSearchParams(present)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  }
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  const { environment } = usePlace()
  const [search, setSearch] = useSearchParams()
  const text = search.get('text')?.trim() ?? ''
  if (isFiltered)
    return (
      <Empty title="No transaction fits these filters">
        <p>A text must be an id, a hash, an address, a reference or an email address in full.</p>
        {/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) && (
          <p>
            <Link href={`/objects/${text}`}>Show the object with this id</Link>
          </p>
        )}
        <button type="button" onClick={() => setSearch({})}>
          Clear filters
        </button>
      </Empty>
    )
  return (
    <Empty title="No transactions yet">
      <p>Whatever moves money is listed here: payments, swaps, conversions, payouts.</p>
      <p>
        <Link href="/collections?new=1">Create a payment link</Link>
        {environment === 'test' && ' and pay it in the sandbox with one click.'}
      </p>
    </Empty>
  )
}
