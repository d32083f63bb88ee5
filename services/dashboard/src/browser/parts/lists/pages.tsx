import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

/** So many pages are kept: rows, memory and what is read again stay the same, however far a reader goes. */
const MOST = 3
/** Rows of a page after the first, which is shorter to come sooner: as many as a search returns. */
const ROWS = 200
const FIRST_ROWS = 50

/** Where a page begins, and the one before it: the service only reads on. */
interface Start {
  readonly before: string | undefined
  readonly previous: Start | undefined
  /** Rows before it. */
  readonly skipped: number
}
const BEGINNING: Start = { before: undefined, previous: undefined, skipped: 0 }

/** Pages of a list that is read from its newest row on. */
export function usePages<P extends { readonly next: string | null }>({
  queryKey,
  read,
  rowsOf,
  renewMs,
}: {
  queryKey: QueryKey
  read: (page: { readonly before?: string; readonly limit: number }) => Promise<P>
  rowsOf: (page: P) => number
  /** How often the first page is read again while it is the only one; never unless given. */
  renewMs?: number
}) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: { before } }) =>
      read(before === undefined ? { limit: FIRST_ROWS } : { before, limit: ROWS }),
    initialPageParam: BEGINNING,
    getNextPageParam: (page, _pages, start): Start | undefined =>
      page.next === null ? undefined : { before: page.next, previous: start, skipped: start.skipped + rowsOf(page) },
    getPreviousPageParam: (_page, _pages, start): Start | undefined => start.previous,
    maxPages: MOST,
    placeholderData: keepPreviousData,
    // Further pages stand still, so that nothing that is read moves.
    refetchInterval: ({ state }) => (renewMs !== undefined && state.data?.pages.length === 1 ? renewMs : false),
  })
  return { ...query, skipped: (query.data?.pageParams[0] as Start | undefined)?.skipped ?? 0 }
}

type Pages = Pick<
  ReturnType<typeof usePages>,
  'hasNextPage' | 'isFetchingNextPage' | 'hasPreviousPage' | 'isFetchingPreviousPage'
> & { fetchNextPage: () => unknown; fetchPreviousPage: () => unknown }

/** Leads back to the rows before those that are kept. */
export function Before({ of }: { of: Pages }) {
  if (!of.hasPreviousPage) return null
  return (
    <button type="button" disabled={of.isFetchingPreviousPage} onClick={() => void of.fetchPreviousPage()}>
      {of.isFetchingPreviousPage ? 'Loading …' : 'Show newer'}
    </button>
  )
}

/** Leads on to the next rows. */
export function After({ of }: { of: Pages }) {
  if (!of.hasNextPage) return null
  return (
    <button type="button" disabled={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {of.isFetchingNextPage ? 'Loading …' : 'Show more'}
    </button>
  )
}

/** Which rows of how many are shown, where not all before them are. */
export const shownOf = (skipped: number, rows: number): string =>
  skipped > 0 ? `, from ${(skipped + 1).toLocaleString('en')} to ${(skipped + rows).toLocaleString('en')}` : ''
