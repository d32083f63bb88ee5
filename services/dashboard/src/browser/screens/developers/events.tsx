import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { NotLoaded } from '../../parts/object/not-loaded.tsx'
import { Raw } from '../../parts/object/raw.tsx'
import { Empty, Failure, Screen, Skeleton, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'

/** The newest events of the organisation, as endpoints receive them. */
export function Events() {
  const { environment, api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'events'],
    queryFn: () => api.events.list.query({}),
  })
  const types = [...new Set(data?.events.map(({ type }) => type))].sort()
  const chosen = search.get('type') ?? ''
  const events = data?.events.filter(({ type }) => chosen === '' || type === chosen) ?? []
  return (
    <Screen title="Events">
      <fieldset className="filters">
        <legend className="hidden">Filters</legend>
        <label>
          Type
          <select value={chosen} onChange={({ target }) => setSearch(target.value ? { type: target.value } : {})}>
            <option value="">All</option>
            {types.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && events.length === 0 && (
        <Empty title="No events yet">
          <p>Each change of an object is an event. Your endpoints receive it within a second.</p>
          <p>
            <Link href="/webhooks">Show the endpoints</Link>
          </p>
        </Empty>
      )}
      {data && events.length > 0 && (
        <>
          <p className="count" role="status">
            {data.total > data.events.length
              ? `The newest ${data.events.length} of ${data.total.toLocaleString('en')} events`
              : `${data.total} ${data.total === 1 ? 'event' : 'events'}`}
          </p>
          <Table
            label="Events"
            keyOf={({ id }) => id}
            rows={events}
            columns={[
              { title: 'Type', cell: ({ id, type }) => <Link href={`/events/${id}`}>{type}</Link> },
              { title: 'Object', cell: ({ data: object }) => <code>{String(object.id ?? '')}</code> },
              { title: 'Time', cell: ({ created }) => <Time at={created} precise /> },
            ]}
          />
        </>
      )}
    </Screen>
  )
}

/** One event, with what it says of its object. */
export function Event({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'event', id],
    queryFn: () => api.events.get.query({ eventId: id }),
    staleTime: 'static',
  })
  if (!data) return <NotLoaded title="Event" error={error} retry={() => void refetch()} list={['/events', 'events']} />
  const object = typeof data.data.id === 'string' ? data.data.id : undefined
  return (
    <Screen title="Event">
      <p className="link">
        <code>{data.type}</code> <Time at={data.created} precise />
      </p>
      {object && (
        <p>
          <Link href={`/objects/${object}`}>Show the object as it is now</Link>
        </p>
      )}
      <Raw value={data} call={`GET /v1/events/${data.id}`} />
    </Screen>
  )
}
