import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../context.ts'
import { words } from './format.ts'
import { Failure, Skeleton, Time } from './parts.tsx'

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
      {data && (
        <ol className="timeline">
          {data.entries.map(({ kind, at, id: entry, summary }, index) => (
            <li key={`${entry}-${kind}-${index}`}>
              <Time at={at} precise />
              <span>
                <strong>{words(kind)}</strong> {summary}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
