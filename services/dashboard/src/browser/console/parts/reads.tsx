import { commandsOf, type OperatorCommand, type OperatorsDocument } from '@payments/client'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { queries } from '../../api.ts'
import { watchAll } from '../../live/stream.ts'
import { Failure, Skeleton } from '../../parts/parts.tsx'

/** Everything that the console reads is read again after a command, and when something has happened. */
const KEY = 'console'
/** What changes without an event, such as the age of a job, is read again this often while the tab is visible, ms. */
const SOONEST_MS = 5000
const LATEST_MS = 60_000
/** What an operator watches during an incident, such as the health of providers, is read again this often, ms: a third of the calls that a tab may make. */
const WATCHED_MS = 3000

/** The last change that a read has seen. Equal replies are one value. */
const lastChanges = new WeakMap<object, { data: unknown; at: number }>()

/** How long a read waits for the next one: as long as nothing has changed until now, within limits. */
function paceOf(query: { readonly state: { readonly data: unknown; readonly dataUpdatedAt: number } }): number {
  const { data, dataUpdatedAt } = query.state
  const last = lastChanges.get(query)
  if (last && last.data === data) return Math.min(Math.max(dataUpdatedAt - last.at, SOONEST_MS), LATEST_MS)
  lastChanges.set(query, { data, at: dataUpdatedAt })
  return SOONEST_MS
}

/**
 * What a screen shows, read again after every change that is told, and by the clock: the less often, the longer it stays the same.
 * @param options `byClock: false` where everything that changes it is told, and `watched` where an operator waits for the next change
 */
export const useRead = <T,>(
  key: readonly unknown[],
  read: () => Promise<T>,
  { enabled = true, byClock = true }: { enabled?: boolean; byClock?: boolean | 'watched' } = {},
): UseQueryResult<T> =>
  useQuery({
    queryKey: [KEY, ...key],
    queryFn: read,
    enabled,
    // What failed is read again as everywhere.
    refetchInterval: (query) =>
      byClock && query.state.status !== 'error' && (byClock === 'watched' ? WATCHED_MS : paceOf(query)),
  })

/** Reads what is shown again whenever something happens, for as long as the console is shown. */
export const useChanges = (): void => useEffect(() => watchAll(KEY), [])

/** Reads everything that is shown again. */
export const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey: [KEY] })

/** The commands of operators, as the service describes them. */
export const useCommands = (): UseQueryResult<readonly OperatorCommand[]> =>
  useQuery({
    queryKey: ['commands'],
    async queryFn() {
      const reply = await fetch('/docs/operators.json').catch(() => undefined)
      if (!reply?.ok) throw new Error('The list of commands could not be read')
      return commandsOf((await reply.json()) as OperatorsDocument).filter(
        ({ procedure }) => procedure.type === 'mutation',
      )
    },
    staleTime: 'static',
  })

/** What was read; until then that it is being read, or why it cannot be. */
export function Shown<T>({ of, children }: { of: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  return (
    <>
      <Failure error={of.error} retry={() => void of.refetch()} />
      {of.data === undefined && !of.error && <Skeleton lines={6} />}
      {of.data !== undefined && children(of.data)}
    </>
  )
}
