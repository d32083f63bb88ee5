import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usePlace } from '../../context.ts'
import { exactPosting, words } from '../format.ts'
import { Failure, Skeleton, Time } from '../parts.tsx'

/** What happened to an object, newest first. */
export function Timeline({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'timeline', id],
    queryFn: () => api.timeline.get.query({ id }),
  })
  return (
    <section aria-label="Timeline">
      <h2>Timeline</h2>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && <TimelineEntries of={data.entries} />}
    </section>
  )
}

type Entry = Outputs['timeline']['get']['entries'][number]

/** Statuses and steps are names of the API: `awaiting_payment`, and `deposit` with the id of the payment. What receivers and requests name stays as it is. */
const shownSummary = ({ kind, summary }: Entry): string =>
  kind === 'status' || kind === 'posting'
    ? exactPosting(summary.replace(/\.[\da-f]{32}\b/g, '').replace(/(?<=[a-z])_(?=[a-z])/g, ' '))
    : summary

/** Entries of a timeline, newest first. */
export function TimelineEntries({ of, more }: { of: readonly Entry[]; more?: (entry: Entry) => ReactNode }) {
  return (
    <ol className="timeline">
      {of.map((entry, index) => (
        <li key={`${entry.id}-${entry.kind}-${index}`}>
          <Time at={entry.at} precise />
          <span>
            <strong>{words(entry.kind)}</strong> {shownSummary(entry)}
          </span>
          {more?.(entry)}
        </li>
      ))}
    </ol>
  )
}
