import type { Outputs } from '@payments/client'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { asMoney, shownAge, shownTime, words } from '../../parts/format.ts'
import { Amount, Status } from '../../parts/parts.tsx'
import { NONE, Table } from '../../parts/table.tsx'
import { Environment } from '../parts/facts.tsx'
import { objectPath } from '../parts/links.ts'
import { Shown, useRead } from '../parts/reads.tsx'

type Holding = Outputs['admin']['organisations']['holdings']['holdings'][number]

/** What an organisation has, each group with what stands there where it has nothing of it. */
const GROUPS = [
  ['volume', 'Volume of the last 30 days', 'Nothing succeeded in the last 30 days.'],
  ['open', 'Under way', 'No payment is under way.'],
  ['balance', 'Balances', 'The service holds no money for it.'],
] as const

/** What came of an organisation in 30 days, what is under way, what the service holds for it, and its webhook endpoints. */
export function Holdings({ organisationId }: { organisationId: string }) {
  const { api } = usePlace()
  const found = useRead(['holdings', organisationId], () => api.admin.organisations.holdings.query({ organisationId }))
  return (
    <Shown of={found}>
      {({ holdings }) => (
        <>
          <Endpoints of={holdings.filter(({ group }) => group === 'endpoint')} />
          {GROUPS.map(([group, title, none]) => (
            <Sums
              key={group}
              group={group}
              title={title}
              none={none}
              of={holdings.filter((each) => each.group === group)}
            />
          ))}
        </>
      )}
    </Shown>
  )
}

function Endpoints({ of }: { of: readonly Holding[] }) {
  const failing = of.filter(({ status }) => status === 'failing').length
  return (
    <section aria-label="Webhook endpoints">
      <h2>Webhook endpoints</h2>
      {of.length === 0 && <p className="hint">It has no webhook endpoint.</p>}
      {failing > 0 && (
        <p className="note">{failing === 1 ? 'One endpoint fails' : `${failing} endpoints fail`}: events wait.</p>
      )}
      <Table
        label="Endpoints"
        rows={of}
        keyOf={({ object }) => object?.id ?? ''}
        columns={[
          {
            title: 'URL',
            cell: ({ kind, object }) =>
              object && (
                <Link href={objectPath(kind, object.id)}>
                  <span className="why">{object.name}</span>
                </Link>
              ),
          },
          { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
          { title: 'Status', cell: ({ status }) => <Status of={status} /> },
          {
            title: 'Failing for',
            cell: ({ object }) =>
              object?.since ? (
                <time dateTime={object.since} title={shownTime(object.since)}>
                  {shownAge(object.since)}
                </time>
              ) : (
                NONE
              ),
          },
        ]}
      />
    </section>
  )
}

const Sums = ({
  group,
  title,
  none,
  of,
}: {
  group: (typeof GROUPS)[number][0]
  title: string
  none: string
  of: readonly Holding[]
}) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {of.length === 0 && <p className="hint">{none}</p>}
    <Table
      label={title}
      rows={of}
      keyOf={({ environment, kind, status, amount }) => `${environment} ${kind} ${status} ${amount}`}
      columns={[
        { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
        ...(group === 'balance'
          ? [{ title: 'Account', cell: ({ status }: Holding) => words(status) }]
          : [
              { title: 'Kind', cell: ({ kind }: Holding) => words(kind) },
              { title: 'Status', cell: ({ status }: Holding) => words(status) },
            ]),
        {
          title: group === 'balance' ? 'Accounts' : 'Number',
          numeric: true,
          cell: ({ count }) => count.toLocaleString('en'),
        },
        {
          title: 'Amount',
          numeric: true,
          cell: ({ amount }) => (amount === null ? NONE : <Amount of={asMoney(amount)} />),
        },
      ]}
    />
  </section>
)
