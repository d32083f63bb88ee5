import type { Outputs } from '@payments/client'
import { Fragment } from 'react'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Empty, Screen, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CommandLink, Environment } from '../parts/facts.tsx'
import { Shown, useRead } from '../parts/reads.tsx'

const STATES = [
  ['active', 'Use'],
  ['draining', 'Drain'],
  ['off', 'Switch off'],
] as const

/** Which providers there are, what they take, how they answer, and what is left of their rate budgets. */
export function Providers() {
  const { api } = usePlace()
  const health = useRead(['providers'], () => api.admin.providers.query({}), { byClock: 'watched' })
  return (
    <Screen
      title="Providers"
      actions={<CommandLink name="admin.sandbox.faults">Simulate an outage in the sandbox</CommandLink>}
    >
      <Shown of={health}>
        {({ bound, providers, rateBudgets }) => (
          <>
            <section aria-label="Order and state">
              <h2>Order and state</h2>
              <p className="hint">
                A draining provider carries only the objects that it has; one that is off lets them wait. The lower
                priority is asked first.
              </p>
              <Table
                label="Providers by environment"
                rows={[...Map.groupBy(bound, ({ provider, environment }) => `${provider} ${environment}`).values()]}
                keyOf={([each]) => `${each?.provider} ${each?.environment}`}
                columns={[
                  { title: 'Provider', cell: ([each]) => each?.provider },
                  { title: 'Environment', cell: ([each]) => <Environment of={each?.environment ?? null} /> },
                  { title: 'State', cell: ([each]) => <Status of={each?.state ?? ''} /> },
                  { title: 'Priority', cell: ([each]) => each?.priority ?? 'As configured' },
                  {
                    title: 'For',
                    cell: (ports) => (
                      <span className="why">
                        {ports.map(({ port, available }, index) => (
                          <Fragment key={port}>
                            {index > 0 && ', '}
                            {words(port)}
                            {!available && (
                              <>
                                {' '}
                                <span className="status bad">fails at once</span>
                              </>
                            )}
                          </Fragment>
                        ))}
                      </span>
                    ),
                  },
                  { title: 'Action', cell: ([each]) => each && <Actions of={each} /> },
                ]}
              />
            </section>
            <section aria-label="Health">
              <h2>Health in the last 15 minutes</h2>
              {providers.length === 0 ? (
                <p className="hint">No provider was called.</p>
              ) : (
                <Table
                  label="Calls by operation"
                  rows={providers}
                  keyOf={({ provider, environment, operation }) => `${provider} ${environment} ${operation}`}
                  columns={[
                    { title: 'Provider', cell: ({ provider, operation }) => `${provider}: ${operation}` },
                    { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                    { title: 'Succeeded', numeric: true, cell: ({ succeeded }) => succeeded.toLocaleString('en') },
                    { title: 'Refused', numeric: true, cell: ({ refused }) => refused.toLocaleString('en') },
                    {
                      title: 'Failed',
                      numeric: true,
                      cell: ({ failed }) => (
                        <span className={`status ${failed > 0 ? 'bad' : 'good'}`}>{failed.toLocaleString('en')}</span>
                      ),
                    },
                    { title: 'Average', numeric: true, cell: ({ averageMilliseconds }) => `${averageMilliseconds} ms` },
                    {
                      title: 'Last failure',
                      cell: ({ lastFailureAt }) => (lastFailureAt ? <Time at={lastFailureAt} /> : '–'),
                    },
                  ]}
                />
              )}
            </section>
            <section aria-label="Rate budgets">
              <h2>Rate budgets</h2>
              {rateBudgets.length === 0 ? (
                <Empty title="No budget is in use">
                  <p>A budget appears with the first scheduled poll of a provider.</p>
                </Empty>
              ) : (
                <Table
                  label="Calls left"
                  rows={rateBudgets}
                  keyOf={({ provider, environment }) => `${provider} ${environment}`}
                  columns={[
                    { title: 'Provider', cell: ({ provider }) => provider },
                    { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                    { title: 'Calls left', numeric: true, cell: ({ callsLeft }) => callsLeft.toLocaleString('en') },
                  ]}
                />
              )}
            </section>
          </>
        )}
      </Shown>
    </Screen>
  )
}

type Bound = Outputs['admin']['providers']['bound'][number]

function Actions({ of: { provider, environment, state, priority } }: { of: Bound }) {
  return (
    <span className="actions">
      {STATES.filter(([each]) => each !== state).map(([each, title]) => (
        <CommandLink
          key={each}
          name="admin.setProvider"
          fields={{ provider, environment, state: each, priority }}
          label={`${title} ${provider} in ${environment}`}
        >
          {title}
        </CommandLink>
      ))}
      {priority !== null && (
        <CommandLink
          name="admin.setProvider"
          fields={{ provider, environment, state, priority: 'null' }}
          label={`Reset the priority of ${provider} in ${environment}`}
        >
          Reset priority
        </CommandLink>
      )}
    </span>
  )
}
