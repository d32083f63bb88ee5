import type { Inputs, Outputs } from '@payments/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import {
  AMOUNTS,
  amountsIn,
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
import { Amount, Empty, Screen, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { NewInvoice } from './invoices/invoice.tsx'
import { askedFor } from './invoices/lines.ts'
import { NewLink } from './new-link.tsx'

type Filters = NonNullable<Inputs['collections']['search']>
type Collections = readonly Outputs['collections']['search']['collections'][number][]

const TYPES: NonNullable<Filters['types']> = ['link', 'invoice', 'checkout']
const STATUSES: NonNullable<Filters['statuses']> = ['active', 'open', 'overdue', 'paid', 'expired', 'inactive', 'void']
const CURRENCIES: NonNullable<Filters['currencies']> = ['USDC', 'USDT', 'EURC']

const FILTERS: readonly Filter[] = [
  { name: 'type', label: 'Kind', options: optionsOf(TYPES, words) },
  { name: 'status', label: 'Status', options: optionsOf(STATUSES, words) },
  { name: 'currency', label: 'Currency', options: CURRENCIES.map((each) => [each, each]) },
  CUSTOMER,
  ...AMOUNTS,
  ...CREATED,
]

const filtersIn = (search: URLSearchParams) =>
  given({
    text: textIn(search),
    types: chosenIn(search, 'type', TYPES),
    statuses: chosenIn(search, 'status', STATUSES),
    currencies: chosenIn(search, 'currency', CURRENCIES),
    customerId: idIn(search, 'customer'),
    ...amountsIn(search),
    ...createdIn(search),
  })

/** Payment links, invoices and checkouts, filtered by what the address says. */
export function Collections() {
  const { api } = usePlace()
  const { search, change } = useAddress()
  const found = useFound({
    name: 'collections',
    filters: filtersIn(search),
    async read(input) {
      const { collections: rows, ...page } = await api.collections.search.query(input)
      return { rows, ...page }
    },
  })
  const create = (type: string) => () => change({ new: type })
  const close = () => change({ new: '' }, { replace: true })
  const made = search.get('new')
  return (
    <Screen
      title="Collections"
      actions={
        <>
          <ChangeButton type="button" onClick={create('checkout')}>
            New checkout
          </ChangeButton>
          <ChangeButton type="button" onClick={create('invoice')}>
            New invoice
          </ChangeButton>
          <ChangeButton type="button" className="primary" onClick={create('1')}>
            New payment link
          </ChangeButton>
        </>
      }
    >
      <Found
        of={found}
        one="collection"
        many="collections"
        placeholder="Title, invoice number, reference or id"
        filters={FILTERS}
        none={
          <Empty title="Ask for a payment">
            <p>
              A payment link takes any number of payments. Share its address or its QR code: the payer chooses a network
              and a currency, and you receive yours.
            </p>
          </Empty>
        }
      >
        {(collections) => <CollectionTable collections={collections} />}
      </Found>
      {made === 'invoice' && <NewInvoice close={close} />}
      {made && made !== 'invoice' && <NewLink type={made === 'checkout' ? 'checkout' : 'link'} close={close} />}
    </Screen>
  )
}

/** Drawn again only for others, as the table of transactions is. */
const CollectionTable = memo(({ collections }: { collections: Collections }) => (
  <Table
    label="Collections"
    rows={collections}
    keyOf={({ id }) => id}
    columns={[
      {
        title: 'Title',
        cell: ({ id, title, number }) => (
          <>
            <Link href={`/collections/${id}`}>{title}</Link>
            {number && <span className="hint whole"> {number}</span>}
          </>
        ),
      },
      { title: 'Status', cell: ({ status }) => <Status of={status} /> },
      { title: 'Kind', cell: ({ type }) => words(type) },
      { title: 'Asked for', cell: (each) => <AskedFor of={each} /> },
      {
        title: 'Received',
        cell: ({ receivedAmount, currency }) => <Amount of={`${receivedAmount} ${currency}`} />,
      },
      { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
))

function AskedFor({ of }: { readonly of: Parameters<typeof askedFor>[0] }) {
  const asked = askedFor(of)
  return asked === undefined ? 'The payer chooses' : <Amount of={asked} />
}
