import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearchParams } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { bodyOf, countryCheck, emailCheck } from '../../parts/checks.ts'
import { Form } from '../../parts/form.tsx'
import { Dialog, Empty, Failure, Screen, Skeleton, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'

const SHOWN = 200

/** All customers, found by a part of their name or email address. */
export function Customers() {
  const { environment, api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const [, navigate] = useLocation()
  const text = (search.get('text') ?? '').toLowerCase()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'customers'],
    queryFn: () => api.customers.list.query({}),
  })
  const found = data?.customers.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(text)) ?? []
  return (
    <Screen
      title="Customers"
      actions={
        <button type="button" className="primary" onClick={() => setSearch({ new: '1' })}>
          New customer
        </button>
      }
    >
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={6} />}
      {data?.total === 0 && (
        <Empty title="No customers yet">
          <p>
            A customer is a person or a company that you collect for or pay out to. Payments that name a customer are
            found together, and with cNGN a customer has a balance.
          </p>
        </Empty>
      )}
      {data && data.total > 0 && (
        <input
          type="search"
          aria-label="Find a customer"
          placeholder="Name or email address"
          value={search.get('text') ?? ''}
          onChange={({ target }) => setSearch(target.value ? { text: target.value } : {}, { replace: true })}
        />
      )}
      {data && data.total > 0 && found.length === 0 && <p className="hint">No customer fits “{search.get('text')}”.</p>}
      {found.length > 0 && (
        <Table
          label="Customers"
          rows={found.slice(0, SHOWN)}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: ({ id, name }) => <Link href={`/customers/${id}`}>{name}</Link> },
            { title: 'cNGN', cell: ({ cngn }) => <Status of={cngn.status} /> },
            { title: 'Email address', cell: ({ email }) => email },
            { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
      {found.length > SHOWN && (
        <p className="hint">
          The newest {SHOWN} of {found.length.toLocaleString('en')}.
        </p>
      )}
      {search.has('new') && (
        <Dialog title="New customer" close={() => setSearch({}, { replace: true })}>
          <Form
            label="Create customer"
            submit={(given) => api.customers.create.mutate(bodyOf(given))}
            done={({ id }) => {
              void queries.invalidateQueries({ queryKey: [environment] })
              navigate(`/customers/${id}`)
            }}
            fields={() => [
              { name: 'name', label: 'Name', placeholder: 'Ada Obi' },
              { name: 'email', label: 'Email address', type: 'email', check: emailCheck },
              {
                name: 'phoneNumber',
                label: 'Phone number',
                optional: true,
                placeholder: '+2348012345678',
                check: (given) => (/^\+[1-9]\d{6,14}$/.test(given) ? undefined : 'Must be like +2348012345678'),
              },
              { name: 'address', label: 'Postal address', optional: true, hint: 'For invoices' },
              { name: 'country', label: 'Country', optional: true, placeholder: 'NG', check: countryCheck },
              { name: 'taxId', label: 'Tax number', optional: true },
            ]}
          />
        </Dialog>
      )}
    </Screen>
  )
}
