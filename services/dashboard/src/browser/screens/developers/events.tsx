import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { isId } from '../../parts/forms/checks.ts'
import { CREATED, chosenIn, createdIn, given, optionsOf, textIn, useAddress } from '../../parts/lists/address.ts'
import { Found, useFound } from '../../parts/lists/found.tsx'
import { NotLoaded } from '../../parts/object/not-loaded.tsx'
import { Raw } from '../../parts/object/raw.tsx'
import { Empty, Screen, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { EventDeliveries } from './event-deliveries.tsx'

/** The type of a requested test event, which goes to one endpoint and is not in the list. */
const TEST_EVENT = 'webhook.test'

type Events = readonly Outputs['events']['search']['events'][number][]

/** The events of the organisation, as endpoints receive them, filtered by what the address says. */
export function Events() {
  const { environment, api } = usePlace()
  const { search } = useAddress()
  const { data } = useQuery({
    queryKey: [environment, 'event-types'],
    queryFn: () => api.webhooks.eventTypes.query({}),
    staleTime: 'static',
  })
  const text = textIn(search)
  const isNoId = text !== undefined && !isId(text)
  const found = useFound({
    name: 'events',
    filters: given({ resourceId: text, types: chosenIn(search, 'type'), ...createdIn(search) }),
    async read(input) {
      if (isNoId) return { rows: [], total: 0, next: null }
      const { events: rows, ...page } = await api.events.search.query(input)
      return { rows, ...page }
    },
  })
  const types = (data?.eventTypes ?? []).flatMap(({ type }) => (type === TEST_EVENT ? [] : [type]))
  return (
    <Screen title="Events">
      <Found
        of={found}
        one="event"
        many="events"
        placeholder="Id of an object, in full"
        filters={[{ name: 'type', label: 'Type', options: optionsOf(types, String) }, ...CREATED]}
        none={
          <Empty title="No events yet">
            <p>Each change of an object is an event. Your endpoints receive it within a second.</p>
            <p>
              <Link href="/webhooks">Show the endpoints</Link>
            </p>
          </Empty>
        }
        hint={isNoId && <p>A text must be the id of an object in full.</p>}
      >
        {(events) => <EventTable events={events} />}
      </Found>
    </Screen>
  )
}

/** Drawn again only for others, as the table of transactions is. */
const EventTable = memo(({ events }: { events: Events }) => (
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
))

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
          <Link href={`/objects/${object}`}>Show the object as it is now</Link>{' '}
          <Link href={`/events?text=${object}`}>Show all its events</Link>
        </p>
      )}
      {object && <EventDeliveries id={data.id} object={object} />}
      <Raw value={data} call={`GET /v1/events/${data.id}`} />
    </Screen>
  )
}
