import type { Outputs } from '@payments/client'
import { memo } from 'react'
import { Link, useLocation } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { bodyOf } from '../../parts/forms/checks.ts'
import { Form } from '../../parts/forms/form.tsx'
import { CREATED, createdIn, given, textIn, useAddress } from '../../parts/lists/address.ts'
import { Found, useFound } from '../../parts/lists/found.tsx'
import { Dialog, Empty, Screen, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CUSTOMER_FIELDS } from './fields.ts'

type Customers = readonly Outputs['customers']['search']['customers'][number][]

/** The customers, found by words of their name and email address or by their id. */
export function Customers() {
  const { environment, api } = usePlace()
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
        <ChangeButton type="button" className="primary" onClick={() => change({ new: '1' })}>
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
        <Dialog title="New customer" close={() => change({ new: '' }, { replace: true })}>
          <Form
            label="Create customer"
            submit={(given) => api.customers.create.mutate(bodyOf(given))}
            done={({ id }) => {
              void queries.invalidateQueries({ queryKey: [environment] })
              navigate(`/customers/${id}`)
            }}
            fields={() => CUSTOMER_FIELDS}
          />
        </Dialog>
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
