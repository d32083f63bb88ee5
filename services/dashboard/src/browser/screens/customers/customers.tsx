import type { Outputs } from '@payments/client'
import { memo } from 'react'
import { Link, useLocation } from 'wouter'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { CREATED, createdIn, given, textIn, useAddress } from '../../parts/lists/address.ts'
import { Found, useFound } from '../../parts/lists/found.tsx'
import { Empty, Screen, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { NewCustomer } from './new-customer.tsx'

type Customers = readonly Outputs['customers']['search']['customers'][number][]

/** The customers, found by words of their name and email address or by their id. */
export function Customers() {
  const { api } = usePlace()
  const { search, change } = useAddress()
  const [, navigate] = useLocation()
  const found = useFound({
    name: 'customers',
    filters: given({ text: textIn(search), ...createdIn(search) }),
    async read(input) {
      const { customers: rows, ...page } = await api.customers.search.query(input)
      return { rows, ...page }
    },
  })
  return (
    <Screen
      title="Customers"
      actions={
        <ChangeButton calls="customers.create" type="button" className="primary" onClick={() => change({ new: '1' })}>
          New customer
        </ChangeButton>
      }
    >
      <Found
        of={found}
        one="customer"
        many="customers"
        placeholder="Name, email address, phone number or id"
        filters={CREATED}
        none={
          <Empty title="No customers yet">
            <p>
              A customer is a person or a company that you collect for or pay out to. Payments that name a customer are
              found together, and with cNGN a customer has a balance.
            </p>
          </Empty>
        }
      >
        {(customers) => <CustomerTable customers={customers} />}
      </Found>
      {search.has('new') && (
        <NewCustomer close={() => change({ new: '' }, { replace: true })} done={(id) => navigate(`/customers/${id}`)} />
      )}
    </Screen>
  )
}

/** Drawn again only for others, as the table of transactions is. */
const CustomerTable = memo(({ customers }: { customers: Customers }) => (
  <Table
    label="Customers"
    rows={customers}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Name', cell: ({ id, name }) => <Link href={`/customers/${id}`}>{name}</Link> },
      { title: 'cNGN', cell: ({ cngn }) => <Status of={cngn.status} /> },
      { title: 'Email address', cell: ({ email }) => email },
      { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
))
