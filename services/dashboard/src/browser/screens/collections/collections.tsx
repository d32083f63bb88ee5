import { useMutation, useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Amount, Dialog, Empty, Failure, Field, fieldsOf, Screen, Skeleton, Status, Time } from '../../parts/parts.tsx'

/** In the sandbox nothing is delivered, so any address will do. */
const EXAMPLE_WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const CURRENCIES = ['USDC', 'USDT', 'EURC'] as const

/** Payment links, invoices and checkouts. */
export function Collections() {
  const { environment, api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'collections'],
    queryFn: () => api.collections.list.query({}),
  })
  const create = () => setSearch({ new: '1' })
  return (
    <Screen
      title="Collections"
      actions={
        <button type="button" className="primary" onClick={create}>
          New payment link
        </button>
      }
    >
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={6} />}
      {data?.total === 0 && (
        <Empty title="Ask for a payment">
          <p>
            A payment link takes any number of payments. Share its address or its QR code: the payer chooses a network
            and a currency, and you receive yours.
          </p>
        </Empty>
      )}
      {data && data.total > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways on a phone must scroll with keys too
        <section className="table" tabIndex={0} aria-label="Collections">
          <table>
            <thead>
              <tr>
                <th scope="col">Title</th>
                <th scope="col">Status</th>
                <th scope="col">Kind</th>
                <th scope="col">Asked for</th>
                <th scope="col">Received</th>
                <th scope="col">Created</th>
              </tr>
            </thead>
            <tbody>
              {data.collections.map((each) => (
                <tr key={each.id}>
                  <td>
                    <Link href={`/collections/${each.id}`}>{each.title}</Link>
                  </td>
                  <td>
                    <Status of={each.status} />
                  </td>
                  <td>{words(each.type)}</td>
                  <td>{each.amount ? <Amount of={`${each.amount} ${each.currency}`} /> : 'The payer chooses'}</td>
                  <td>
                    <Amount of={`${each.receivedAmount} ${each.currency}`} />
                  </td>
                  <td>
                    <Time at={each.createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {data.total > data.collections.length && (
            <p className="hint">
              The newest {data.collections.length} of {data.total.toLocaleString('en')}.
            </p>
          )}
        </section>
      )}
      {search.has('new') && <NewLink close={() => setSearch({}, { replace: true })} />}
    </Screen>
  )
}

function NewLink({ close }: { close: () => void }) {
  const { environment, api } = usePlace()
  const [, navigate] = useLocation()
  const networks = useQuery({
    queryKey: [environment, 'networks'],
    queryFn: () => api.paymentRoutes.networks.query({}),
  })
  const create = useMutation({
    mutationFn: (input: Parameters<typeof api.collections.create.mutate>[0]) => api.collections.create.mutate(input),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: [environment] })
      navigate(`/collections/${id}`)
    },
  })
  const wrong = fieldsOf(create.error)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    create.mutate({
      ...{ type: 'link', title: text('title'), amount: text('amount') || null },
      currency: CURRENCIES.find((each) => each === text('currency')) ?? 'USDC',
      ...{ destinationChainKey: text('network'), destinationAddress: text('address') },
    })
  }
  return (
    <Dialog title="New payment link" close={close}>
      <form onSubmit={submit}>
        <Field label="What is paid for" error={wrong.title}>
          {(props) => <input {...props} name="title" required maxLength={120} placeholder="Consulting in January" />}
        </Field>
        <div className="pair">
          <Field label="Amount" hint="Empty: the payer chooses" error={wrong.amount}>
            {(props) => <input {...props} name="amount" inputMode="decimal" autoComplete="off" />}
          </Field>
          <Field label="Currency" error={wrong.currency}>
            {(props) => (
              <select {...props} name="currency">
                {CURRENCIES.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <Field label="Network on which you receive" error={wrong.destinationChainKey}>
          {(props) => (
            <select {...props} name="network" key={networks.data ? 'all' : 'base'} defaultValue="base">
              {(networks.data?.networks ?? [{ key: 'base', name: 'Base' }]).map(({ key, name }) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Your wallet on that network"
          hint={
            environment === 'test' ? 'An example, because in test no money moves' : 'Check it twice: payments go there'
          }
          error={wrong.destinationAddress}
        >
          {(props) => (
            <input
              {...props}
              name="address"
              required
              autoComplete="off"
              spellCheck={false}
              defaultValue={environment === 'test' ? EXAMPLE_WALLET : ''}
            />
          )}
        </Field>
        {Object.keys(wrong).length === 0 && <Failure error={create.error} />}
        <button type="submit" className="primary" disabled={create.isPending}>
          {create.isPending ? 'Creating …' : 'Create payment link'}
        </button>
      </form>
    </Dialog>
  )
}
