import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { usePlace } from '../../context.ts'
import { words } from '../format.ts'
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

/** Entries of a timeline, newest first. */
export function TimelineEntries({ of, more }: { of: readonly Entry[]; more?: (entry: Entry) => ReactNode }) {
  return (
    <ol className="timeline">
      {of.map((entry, index) => (
        <li key={`${entry.id}-${entry.kind}-${index}`}>
          <Time at={entry.at} precise />
          <span>
            <strong>{words(entry.kind)}</strong> {entry.summary}
          </span>
          {more?.(entry)}
        </li>
      ))}
    </ol>
  )
}
