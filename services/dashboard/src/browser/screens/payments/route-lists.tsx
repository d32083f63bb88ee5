import type { Inputs, Outputs } from '@payments/client'
import { memo, type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { networkName, words } from '../../parts/format.ts'
import {
  CREATED,
  CUSTOMER,
  chosenIn,
  createdIn,
  type Filter,
  given,
  idIn,
  optionsOf,
  textIn,
  useAddress,
} from '../../parts/lists/address.ts'
import { Found, useFound } from '../../parts/lists/found.tsx'
import { After, Before, shownOf, usePages } from '../../parts/lists/pages.tsx'
import { Amount, Failure, Skeleton, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { useNetworks } from './forms/options.ts'

type Filters = NonNullable<Inputs['paymentRoutes']['search']>
type PaymentRoute = Outputs['paymentRoutes']['get']
type Deposit = Outputs['paymentRoutes']['deposit']

const STATUSES: NonNullable<Filters['statuses']> = ['active', 'paused', 'deleted']

/** From where to where a route leads. */
export const wayOf = (of: PaymentRoute): string =>
  `${of.originCurrency} on ${networkName(of.originChainKey)} to ${of.destinationCurrency} on ${networkName(of.destinationChainKey)}`

/** The payment routes, filtered by what the address says. */
export function RouteList({ none }: { none: ReactNode }) {
  const { api } = usePlace()
  const { search } = useAddress()
  const networks = useNetworks()
  const currencies = [...new Set(networks.flatMap((network) => network.currencies))]
  const filters: readonly Filter[] = [
    { name: 'status', label: 'Status', options: optionsOf(STATUSES, words) },
    { name: 'asset', label: 'Asset', options: optionsOf(currencies, String) },
    { name: 'network', label: 'Network', options: networks.map(({ key, name }) => [key, name]) },
    CUSTOMER,
    ...CREATED,
  ]
  const found = useFound({
    name: 'routes',
    filters: given({
      text: textIn(search),
      statuses: chosenIn(search, 'status', STATUSES),
      currencies: chosenIn(search, 'asset'),
      networks: chosenIn(search, 'network'),
      customerId: idIn(search, 'customer'),
      ...createdIn(search),
    }),
    async read(input) {
      const { paymentRoutes: rows, ...page } = await api.paymentRoutes.search.query(input)
      return { rows, ...page }
    },
  })
  return (
    <Found
      of={found}
      one="payment route"
      many="payment routes"
      placeholder="Name, deposit address or id"
      filters={filters}
      none={none}
    >
      {(rows) => <RouteTable rows={rows} />}
    </Found>
  )
}

/** Drawn again only for others, as the table of transactions is. */
const RouteTable = memo(({ rows }: { rows: readonly PaymentRoute[] }) => (
  <Table
    label="Payment routes"
    rows={rows}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Name', cell: ({ id, name }) => <Link href={`/routes/${id}`}>{name}</Link> },
      { title: 'Status', cell: ({ status }) => <Status of={status} /> },
      { title: 'To', cell: (route) => <span className="to">{wayOf(route)}</span> },
      { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
))

/** The deposits of a route, newest first. Each appears by itself while only the first page is shown. */
export function Deposits({ of: { id } }: { of: PaymentRoute }) {
  const { environment, api } = usePlace()
  const pages = usePages({
    queryKey: [environment, 'deposits', id],
    read: (page) => api.paymentRoutes.searchDeposits.query({ paymentRouteId: id, ...page }),
    rowsOf: ({ deposits }) => deposits.length,
  })
  const { data, error, refetch, skipped } = pages
  const rows = useMemo(() => data?.pages.flatMap(({ deposits }) => deposits) ?? [], [data])
  const total = data?.pages[0]?.total ?? 0
  return (
    <section aria-label="Deposits">
      <h2>Deposits</h2>
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      {data && rows.length === 0 && <p className="hint">None yet. Each deposit appears here by itself.</p>}
      <p className="count" role="status">
        {total > 0 &&
          `${total.toLocaleString('en')} ${total === 1 ? 'deposit' : 'deposits'}${shownOf(skipped, rows.length)}`}
      </p>
      <Before of={pages} />
      <DepositTable rows={rows} />
      <After of={pages} />
    </section>
  )
}

const DepositTable = memo(({ rows }: { rows: readonly Deposit[] }) => (
  <Table
    label="Deposits of the route"
    rows={rows}
    keyOf={({ id }) => id}
    columns={[
      {
        title: 'Sent',
        cell: ({ id, origin }) => (
          <Link href={`/objects/${id}`}>
            <Amount of={`${origin.amount ?? '?'} ${origin.symbol}`} />
          </Link>
        ),
      },
      { title: 'Status', cell: ({ status }) => <Status of={status} /> },
      {
        title: 'Delivered',
        cell: ({ destination }) => <Amount of={`${destination.amount ?? '0'} ${destination.symbol}`} />,
      },
      { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      { title: 'Changed', cell: ({ relayUpdatedAt }) => <Time at={relayUpdatedAt} /> },
    ]}
  />
))
