import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { DAY_MS, dayIn, words } from '../../parts/format.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { COUNTRIES } from '../../parts/forms/checks.ts'
import { fileAddress } from '../../parts/forms/files.ts'
import { Form } from '../../parts/forms/form.tsx'
import { CollectionTable } from '../../parts/object/collection-table.tsx'
import { NotLoaded } from '../../parts/object/not-loaded.tsx'
import { Raw } from '../../parts/object/raw.tsx'
import { Timeline } from '../../parts/object/timeline.tsx'
import { TransactionTable } from '../../parts/object/transaction-table.tsx'
import { Amount, Copyable, Dialog, Failure, Screen, Status, Time } from '../../parts/parts.tsx'
import { CUSTOMER_FIELDS } from './fields.ts'

const NEWEST = 10

/** One customer: who it is, its cNGN, and its newest invoices and transactions. */
export function Customer({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'customer', id],
    async queryFn() {
      const customer = await api.customers.get.query({ customerId: id })
      const enabled = customer.cngn.status === 'enabled'
      const [recent, invoices, balance] = await Promise.all([
        api.transactions.search.query({ customerId: id, limit: NEWEST }),
        api.collections.search.query({ customerId: id, types: ['invoice'], limit: NEWEST }),
        enabled ? api.cngn.balance.query({ customerId: id }) : undefined,
      ])
      return { customer, recent, invoices, balance }
    },
  })
  if (!data)
    return <NotLoaded title="Customer" error={error} retry={() => void refetch()} list={['/customers', 'customers']} />
  const { customer, recent, invoices, balance } = data
  return (
    <Screen title={customer.name} actions={<Edit of={customer} />}>
      <dl className="facts">
        <dt>Email address</dt>
        <dd>{customer.email}</dd>
        <dt>Phone number</dt>
        <dd>{customer.phoneNumber ?? '–'}</dd>
        {(customer.address || customer.country) && (
          <>
            <dt>Address</dt>
            <dd>
              {[customer.address, COUNTRIES.find(([code]) => code === customer.country)?.[1]]
                .filter(Boolean)
                .join(', ')}
            </dd>
          </>
        )}
        {customer.taxId && (
          <>
            <dt>Tax number</dt>
            <dd>{customer.taxId}</dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <Copyable text={customer.id} label="Copy the id" />
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={customer.createdAt} />
        </dd>
        <dt>Collections</dt>
        <dd>
          <Link href={`/collections?customer=${id}`}>View this customer’s payments</Link>
        </dd>
      </dl>
      <section className="card" aria-label="cNGN">
        <div className="head">
          <h2>cNGN</h2>
          <Status of={customer.cngn.status} />
        </div>
        {balance && (
          <dl className="figures">
            <div>
              <dt>Available</dt>
              <dd>
                <Amount of={`${balance.available} cNGN`} />
              </dd>
            </div>
            <div>
              <dt>On its way</dt>
              <dd>
                <Amount of={`${balance.pending} cNGN`} />
              </dd>
            </div>
          </dl>
        )}
        {balance ? <VirtualAccount id={id} /> : <Enable id={id} status={customer.cngn} />}
      </section>
      <div className="head">
        <h2>Invoices</h2>
        {invoices.next && (
          <Link href={`/collections?customer=${id}&type=invoice`}>
            Show all {invoices.total?.toLocaleString('en') ?? ''}
          </Link>
        )}
      </div>
      {invoices.collections.length > 0 ? (
        <CollectionTable label="Invoices" collections={invoices.collections} />
      ) : (
        <p className="hint">None yet. An invoice for this customer appears here.</p>
      )}
      <div className="head">
        <h2>Transactions</h2>
        {recent.next && <Link href={`/transactions?customer=${id}`}>Show all {recent.total.toLocaleString('en')}</Link>}
      </div>
      {recent.transactions.length > 0 ? (
        <TransactionTable transactions={recent.transactions} />
      ) : (
        <p className="hint">None yet. A payment that names this customer appears here.</p>
      )}
      {recent.total > 0 && <Payments id={id} />}
      <Timeline id={id} />
      <Raw value={customer} call={`GET /v1/customers/${id}`} />
    </Screen>
  )
}

type CustomerData = Outputs['customers']['get']

/** Changes a customer. What is emptied is deleted. */
function Edit({ of }: { of: CustomerData }) {
  const { environment, api } = usePlace()
  const [editing, setEditing] = useState(false)
  return (
    <>
      <ChangeButton calls="customers.update" type="button" onClick={() => setEditing(true)}>
        Edit
      </ChangeButton>
      {editing && (
        <Dialog title={`Edit ${of.name}`} close={() => setEditing(false)}>
          <Form
            calls="customers.update"
            label="Save"
            submit={({ name = '', email = '', ...rest }) => {
              const others = Object.entries(rest).map(([field, value]) => [field, value.trim() || null])
              return api.customers.update.mutate({
                ...{ customerId: of.id, name: name.trim(), email: email.trim() },
                ...Object.fromEntries(others),
              })
            }}
            done={async () => {
              await queries.invalidateQueries({ queryKey: [environment] })
              setEditing(false)
            }}
            fields={() =>
              CUSTOMER_FIELDS.map((field) => ({
                ...field,
                initial: of[field.name as keyof CustomerData & string]?.toString() ?? '',
              }))
            }
          />
        </Dialog>
      )}
    </>
  )
}

/** What the customer paid in a period, as a file for them. */
function Payments({ id }: { id: string }) {
  const { environment, me } = usePlace()
  const dayOf = (time: number) => dayIn(me.organisation.timeZone, new Date(time))
  const today = dayOf(Date.now())
  const [from, setFrom] = useState(dayOf(Date.now() - 29 * DAY_MS))
  const [to, setTo] = useState(today)
  // As long as the service makes one.
  const isPeriod = from !== '' && to !== '' && from <= to && Date.parse(to) - Date.parse(from) <= 365 * DAY_MS
  return (
    <section className="card" aria-label="Statement of payments">
      <h2>Statement of payments</h2>
      <fieldset className="filters">
        <legend className="hidden">Period</legend>
        <label>
          From
          <input type="date" value={from} max={to} onChange={({ target }) => setFrom(target.value)} />
        </label>
        <label>
          To
          <input type="date" value={to} max={today} onChange={({ target }) => setTo(target.value)} />
        </label>
      </fieldset>
      {isPeriod ? (
        <p>
          {(['csv', 'pdf'] as const).map((format) => (
            <Fragment key={format}>
              <a
                className="button"
                download
                href={fileAddress(`/customers/${id}/payments/export`, environment, { from, to, format })}
              >
                {format.toUpperCase()}
              </a>{' '}
            </Fragment>
          ))}
        </p>
      ) : (
        <p className="note">Choose a period that ends on or after its first day, and is at most a year long.</p>
      )}
    </section>
  )
}

/** The account into which the customer is paid naira. */
function VirtualAccount({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error } = useQuery({
    queryKey: [environment, 'virtual-account', id],
    queryFn: () => api.cngn.virtualAccount.query({ customerId: id }),
  })
  return (
    <>
      <Failure error={error} />
      {data && (
        <p>
          To top up, transfer naira to <Copyable text={data.accountNumber} label="Copy the account number" />,{' '}
          {data.bankName} <span className="hint">{data.accountName}</span>
        </p>
      )}
      <p>
        <Link href={`/statements?customer=${id}`}>Show the statement</Link>
      </p>
    </>
  )
}

/** Enables cNGN, with the bank verification number of the customer. */
function Enable({
  id,
  status: { status, failureReason },
}: {
  id: string
  status: { status: string; failureReason: string | null }
}) {
  const { environment, api } = usePlace()
  const [asking, setAsking] = useState(false)
  if (status === 'pending') return <p className="hint">The identity is being verified. It takes seconds.</p>
  return (
    <>
      {failureReason && <p className="note">{words(failureReason)}</p>}
      <p className="hint">With cNGN the customer has a balance in naira, an account for payins, and payouts.</p>
      <ChangeButton calls="cngn.enable" type="button" onClick={() => setAsking(true)}>
        Enable cNGN
      </ChangeButton>
      {asking && (
        <Dialog title="Enable cNGN" close={() => setAsking(false)}>
          <Form
            calls="cngn.enable"
            label="Enable"
            submit={({ bvn = '' }) => api.cngn.enable.mutate({ customerId: id, bvn: bvn.trim() })}
            done={async () => {
              await queries.invalidateQueries({ queryKey: [environment] })
              setAsking(false)
            }}
            fields={() => [
              {
                name: 'bvn',
                label: 'Bank verification number',
                hint: '11 digits. Ask only with the consent of the customer; it is deleted once verified.',
                numeric: true,
                secret: true,
                check: (text) => (/^\d{11}$/.test(text) ? undefined : 'Must be 11 digits'),
              },
            ]}
          />
        </Dialog>
      )}
    </>
  )
}
