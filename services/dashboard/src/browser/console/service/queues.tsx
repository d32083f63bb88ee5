import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { Empty, Screen, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CommandLink, Environment, Organisation } from '../parts/facts.tsx'
import { Shown, useRead } from '../parts/reads.tsx'

/** Job queues, and when the recurring jobs run. */
export function Queues() {
  const { api } = usePlace()
  const queues = useRead(['queues'], () => api.admin.queues.list.query({}), { byClock: 'watched' })
  return (
    <Screen title="Queues and schedules">
      <Shown of={queues}>
        {({ queues: found, schedules }) => (
          <>
            <Table
              label="Queues"
              rows={found}
              keyOf={({ name }) => name}
              columns={[
                { title: 'Queue', cell: ({ name }) => <Link href={`/dead-letters?queue=${name}`}>{name}</Link> },
                { title: 'Waiting', numeric: true, cell: ({ waiting }) => waiting.toLocaleString('en') },
                { title: 'Running', numeric: true, cell: ({ active }) => active.toLocaleString('en') },
                { title: 'Failed', numeric: true, cell: ({ failed }) => failed.toLocaleString('en') },
                {
                  title: 'Oldest was due',
                  cell: ({ oldestWaitingAt }) => (oldestWaitingAt ? <Time at={oldestWaitingAt} /> : '–'),
                },
              ]}
            />
            <section aria-label="Schedules">
              <h2>Schedules</h2>
              <Table
                label="Recurring jobs"
                rows={schedules}
                keyOf={({ name }) => name}
                columns={[
                  { title: 'Job', cell: ({ name }) => name },
                  { title: 'When', cell: ({ description }) => description },
                ]}
              />
            </section>
          </>
        )}
      </Shown>
    </Screen>
  )
}

/** Jobs that failed for good, and events that were set aside: both wait for an operator. */
export function DeadLetters() {
  const { api } = usePlace()
  const [search] = useSearchParams()
  const queue = search.get('queue') ?? undefined
  const jobs = useRead(['dead-letters', queue], () => api.admin.queues.deadLetters.query(queue ? { queue } : {}), {
    byClock: 'watched',
  })
  const events = useRead(['set-aside'], () => api.admin.webhooks.setAsideEvents.query({}), { byClock: 'watched' })
  return (
    <Screen title="Dead letters">
      <section aria-label="Jobs">
        <div className="head">
          <h2>Jobs that failed for good{queue && `: ${queue}`}</h2>
          {queue && <Link href="/dead-letters">All queues</Link>}
        </div>
        <Shown of={jobs}>
          {({ jobs: found, total }) =>
            total === 0 ? (
              <Empty title="No job has failed for good">
                <p>A job is retried for hours before it appears here.</p>
              </Empty>
            ) : (
              <>
                <div className="head">
                  <p className="hint">
                    {total > found.length
                      ? `The ${found.length} oldest of ${total.toLocaleString('en')}`
                      : `${total}, oldest first`}
                  </p>
                  <CommandLink name="admin.queues.retryAll" fields={{ queue }}>
                    Retry {total === 1 ? 'it' : `all ${total.toLocaleString('en')}`}
                  </CommandLink>
                </div>
                <Table
                  label="Dead letters"
                  rows={found}
                  keyOf={({ id }) => id}
                  columns={[
                    { title: 'Queue', cell: (job) => job.queue },
                    { title: 'Why', cell: ({ error }) => <span className="why">{error ?? '–'}</span> },
                    { title: 'Failed', numeric: true, cell: ({ failedAt }) => <Time at={failedAt} precise /> },
                    {
                      title: 'Action',
                      cell: ({ id }) => (
                        <CommandLink name="admin.queues.retryOne" fields={{ jobId: id }} label={`Retry job ${id}`}>
                          Retry
                        </CommandLink>
                      ),
                    },
                  ]}
                />
              </>
            )
          }
        </Shown>
      </section>
      <section aria-label="Events">
        <h2>Events that were set aside</h2>
        <Shown of={events}>
          {({ events: found, total }) =>
            total === 0 ? (
              <p className="hint">None: every event became its deliveries.</p>
            ) : (
              <Table
                label="Events that were set aside"
                rows={found}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Event', cell: ({ type }) => type },
                  { title: 'Why', cell: ({ reason }) => <span className="why">{reason}</span> },
                  { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                  { title: 'Organisation', cell: ({ organisationId }) => <Organisation id={organisationId} /> },
                  { title: 'Set aside', cell: ({ setAsideAt }) => <Time at={setAsideAt} /> },
                  {
                    title: 'Action',
                    cell: ({ id }) => (
                      <CommandLink
                        name="admin.webhooks.fanOutAgain"
                        fields={{ eventId: id }}
                        label={`Create deliveries of event ${id}`}
                      >
                        Create deliveries
                      </CommandLink>
                    ),
                  },
                ]}
              />
            )
          }
        </Shown>
      </section>
    </Screen>
  )
}
