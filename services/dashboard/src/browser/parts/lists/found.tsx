import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { usePlace } from '../../context.ts'
import { Empty, Failure, Skeleton } from '../parts.tsx'
import { type Filter, inWords, useAddress } from './address.ts'
import { FilterBar, nothing } from './filter-bar.tsx'
import { After, Before, shownOf, usePages } from './pages.tsx'

interface Created {
  readonly from?: string
  readonly to?: string
}
interface Page<Row, Total> {
  readonly rows: readonly Row[]
  /** Null where they are too many to count. */
  readonly total: Total
  readonly next: string | null
}

/** Until when the list of this history entry was read, unless the page was loaded again since. */
function keptUntil(): string | undefined {
  const until: unknown = history.state?.until
  return typeof until === 'string' && Date.parse(until) >= performance.timeOrigin ? until : undefined
}

/**
 * What a search of the service finds, newest first, in pages. It ends at the time at which the list was opened: what is found changes where
 * it stands, and what is newer is counted and shown on demand, so that nothing that is read moves.
 */
export function useFound<Row, F extends Created, Total extends number | null>({
  name,
  filters,
  read,
}: {
  /** Under which it is kept. */
  name: string
  filters: F
  read: (input: F & { readonly before?: string; readonly limit: number }) => Promise<Page<Row, Total>>
}) {
  const { environment } = usePlace()
  const [until, setUntil] = useState(() => keptUntil() ?? new Date().toISOString())
  // The way back to it finds the pages that were read.
  useEffect(() => {
    if (history.state?.until !== until) history.replaceState({ ...history.state, until }, '')
  })
  const shown = { ...filters, to: filters.to && filters.to < until ? filters.to : until }
  const pages = usePages({
    queryKey: [environment, name, shown],
    read: (page) => read({ ...shown, ...page }),
    rowsOf: (page) => page.rows.length,
  })
  const newer = useQuery({
    queryKey: [environment, `newer-${name}`, filters, until],
    queryFn: () => read({ ...filters, from: until, limit: 1 }),
    enabled: filters.from === undefined || filters.from < until,
  })
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.rows) ?? [], [pages.data])
  return {
    pages,
    rows,
    shown,
    isFiltered: Object.keys(filters).length > 0,
    total: pages.data?.pages[0] === undefined ? 0 : pages.data.pages[0].total,
    fresh: newer.data?.total ?? 0,
    showFresh: () => setUntil(new Date().toISOString()),
  }
}

/** A list of what is found, with its filters. */
export function Found<Row>({
  of,
  one,
  many,
  placeholder,
  filters,
  none,
  hint,
  children,
}: {
  of: Omit<ReturnType<typeof useFound<Row, Created, number | null>>, 'shown'>
  /** What it lists, in the middle of a sentence. */
  one: string
  many: string
  /** What its search finds. */
  placeholder: string
  filters: readonly Filter[]
  /** What stands there while there is nothing to find. */
  none: ReactNode
  /** Why filters may find nothing. */
  hint?: ReactNode
  children: (rows: readonly Row[]) => ReactNode
}) {
  const { pages, rows, isFiltered, total, fresh, showFresh } = of
  const { data, error, refetch, isPlaceholderData, skipped } = pages
  const isEmpty = data !== undefined && rows.length === 0 && fresh === 0
  if (isEmpty && !isFiltered) return none
  return (
    <>
      <FilterBar label={`Search ${many}`} placeholder={placeholder} filters={filters} />
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {isEmpty && (
        <NothingFits one={one} filters={filters}>
          {hint}
        </NothingFits>
      )}
      <p className="count" role="status">
        {total !== 0 &&
          `${total === null ? 'More than 10,000' : total.toLocaleString('en')} ${total === 1 ? one : many}${shownOf(skipped, rows.length)}`}
        {fresh > 0 && (
          <button type="button" className="fresh" onClick={showFresh}>
            Show {fresh.toLocaleString('en')} new
          </button>
        )}
      </p>
      <Before of={pages} />
      {rows.length > 0 && <div aria-busy={isPlaceholderData}>{children(rows)}</div>}
      <After of={pages} />
    </>
  )
}

/** Which filters leave everything out, and how to go on without one or all of them. */
function NothingFits({ one, filters, children }: { one: string; filters: readonly Filter[]; children: ReactNode }) {
  const { search, change } = useAddress()
  const chosen = inWords(search, filters)
  return (
    <Empty title={`No ${one} fits these filters`}>
      <ul className="chosen">
        {chosen.map(({ name, words }) => (
          <li key={name}>
            {words}
            <button
              type="button"
              className="quiet"
              aria-label={`Remove ${words}`}
              onClick={() => change(nothing([name]))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      {children}
      <button type="button" onClick={() => change(nothing(chosen.map(({ name }) => name)))}>
        Clear filters
      </button>
    </Empty>
  )
}
