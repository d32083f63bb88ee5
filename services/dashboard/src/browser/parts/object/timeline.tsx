import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { exactPosting, words } from '../format.ts'
import { Failure, Skeleton, Time } from '../parts.tsx'
import { sentenceOf } from './sentences.ts'

/** What happened to an object, newest first, in sentences; below it everything, for developers. */
export function Timeline({ id, ...subject }: { id: string; of?: string | undefined; amount?: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'timeline', id],
    queryFn: () => api.timeline.get.query({ id }),
  })
  const said = (data?.entries ?? []).flatMap((entry, index) => {
    const sentence = sentenceOf(entry, subject)
    return sentence === undefined ? [] : [{ entry, sentence, key: `${entry.id}-${entry.kind}-${index}` }]
  })
  return (
    <section aria-label="Timeline">
      <h2>Timeline</h2>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {said.length > 0 && (
        <ol className="timeline">
          {said.map(({ entry, sentence, key }) => (
            <li key={key}>
              <Time at={entry.at} />
              <span>{sentence}</span>
              {entry.kind === 'delivery_attempt' && (
                <Link href={`/events/${String(entry.details.eventId)}`}>Show the event</Link>
              )}
            </li>
          ))}
        </ol>
      )}
      {data && data.entries.length > 0 && (
        <details className="raw">
          <summary>For developers: every entry</summary>
          <TimelineEntries of={data.entries} />
        </details>
      )}
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
