import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { asMoney, exact, shownAge, shownTime, words } from '../../parts/format.ts'
import { Amount, Empty, Screen, Status } from '../../parts/parts.tsx'
import { NONE, Table } from '../../parts/table.tsx'
import { CommandLink, Environment, endOf, Organisation } from '../parts/facts.tsx'
import { objectPath } from '../parts/links.ts'
import { Shown, useRead } from '../parts/reads.tsx'

const CONDITIONS = ['failed', 'held', 'unknown', 'stuck'] as const
const ENVIRONMENTS = ['test', 'live'] as const
const one = <T extends string>(values: readonly T[], text: string | null): T | undefined =>
  values.find((value) => value === text)

/** The address of the screen with these filters. */
const addressOf = (filter: Readonly<Record<string, string | undefined>>): string =>
  `/?${new URLSearchParams(Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined))}`

/** What needs an operator, by kind: live before test, and the most money first. */
export function Attention() {
  const { api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const filter = {
    kind: search.get('kind') ?? undefined,
    condition: one(CONDITIONS, search.get('condition')),
    environment: one(ENVIRONMENTS, search.get('environment')),
    organisationId: search.get('organisationId') ?? undefined,
  }
  const set = (given: Readonly<Record<string, string | undefined>>) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      for (const [name, value] of Object.entries(given)) value ? next.set(name, value) : next.delete(name)
      return next
    })
  const { environment, organisationId } = filter
  const scope = { environment, organisationId }
  const all = useRead(['attention', scope], () => api.admin.attention.list.query(scope))
  const found = useRead(['attention', filter], () => api.admin.attention.list.query({ ...filter, sort: 'amount' }))
  return (
    <Screen title="Needs attention">
      <Shown of={all}>
        {({ counts, total }) => (
          <nav className="tabs" aria-label="By kind and condition">
            <Link href={addressOf(scope)} aria-current={filter.kind ? undefined : 'page'}>
              All {total.toLocaleString('en')}
            </Link>
            {counts.map(({ kind, condition, count }) => (
              <Link
                key={`${kind} ${condition}`}
                href={addressOf({ ...scope, kind, condition })}
                aria-current={filter.kind === kind && filter.condition === condition ? 'page' : undefined}
              >
                {words(kind)}, {condition} {count.toLocaleString('en')}
              </Link>
            ))}
          </nav>
        )}
      </Shown>
      <div className="filters">
        <label>
          Environment
          <select value={filter.environment ?? ''} onChange={({ target }) => set({ environment: target.value })}>
            <option value="">Test and live</option>
            <option value="live">Live</option>
            <option value="test">Test</option>
          </select>
        </label>
        {filter.organisationId && (
          <button type="button" onClick={() => set({ organisationId: undefined })}>
            Show all organisations
          </button>
        )}
      </div>
      <Shown of={found}>
        {({ objects, total }) =>
          total === 0 ? (
            <Empty title="Nothing needs an operator">
              <p>What fails, is held, of unknown outcome or stuck appears here, live and the largest amounts first.</p>
            </Empty>
          ) : (
            <>
              <div className="head">
                <p className="hint" role="status">
                  {total > objects.length
                    ? `The first ${objects.length} of ${total.toLocaleString('en')}: live, then the largest amounts`
                    : `${total} ${total === 1 ? 'object' : 'objects'}, live and the largest amounts first`}
                </p>
                <CommandLink name="admin.attention.recheck" fields={filter}>
                  Ask the providers again about {total === 1 ? 'it' : `all ${total.toLocaleString('en')}`}
                </CommandLink>
              </div>
              <Table
                label="Objects"
                rows={objects}
                keyOf={({ kind, id, condition }) => `${kind} ${id} ${condition}`}
                columns={[
                  {
                    title: 'Object',
                    cell: ({ kind, id, environment }) => (
                      <>
                        <Link href={objectPath(kind, id)}>
                          {words(kind)} <code>{endOf(id)}</code>
                        </Link>{' '}
                        <Environment of={environment} />
                      </>
                    ),
                  },
                  {
                    title: 'Amount',
                    cell: ({ amount, amountUsd }) =>
                      amount === null ? (
                        NONE
                      ) : (
                        <>
                          <Amount of={asMoney(amount)} />
                          {amountUsd !== null && !amount.startsWith(`${amountUsd} USD`) && (
                            <span className="hint"> {exact(`${amountUsd} USD`)}</span>
                          )}
                        </>
                      ),
                  },
                  {
                    title: 'Condition',
                    cell: ({ condition, status }) => (
                      <>
                        <Status of={condition} /> <span className="hint">{words(status)}</span>
                      </>
                    ),
                  },
                  { title: 'Why', cell: ({ reason }) => <span className="why">{reason && words(reason)}</span> },
                  {
                    title: 'Merchant',
                    cell: ({ organisationId, merchant }) => <Organisation id={organisationId} name={merchant} />,
                  },
                  {
                    title: 'Waiting',
                    cell: ({ since }) => (
                      <time dateTime={since} title={shownTime(since)}>
                        {shownAge(since)}
                      </time>
                    ),
                  },
                  {
                    title: 'Action',
                    cell: ({ kind, id }) => (
                      <CommandLink
                        name="admin.attention.resolve"
                        fields={{ kind, id }}
                        label={`Mark as handled: ${words(kind)} ${id}`}
                      >
                        Mark as handled
                      </CommandLink>
                    ),
                  },
                ]}
              />
            </>
          )
        }
      </Shown>
    </Screen>
  )
}
