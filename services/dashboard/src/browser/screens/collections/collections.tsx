import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Amount, Empty, Failure, Screen, Skeleton, Status, Time } from '../../parts/parts.tsx'
import { NewInvoice } from './invoice.tsx'
import { askedFor } from './lines.ts'
import { NewLink } from './new-link.tsx'

function AskedFor({ of }: { readonly of: Parameters<typeof askedFor>[0] }) {
  const asked = askedFor(of)
  return asked === undefined ? 'The payer chooses' : <Amount of={asked} />
}

/** Payment links, invoices and checkouts. */
export function Collections() {
  const { environment, api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'collections'],
    queryFn: () => api.collections.list.query({}),
  })
  const create = (type: string) => () => setSearch({ new: type })
  const close = () => setSearch({}, { replace: true })
  const made = search.get('new')
  return (
    <Screen
      title="Collections"
      actions={
        <>
          <button type="button" onClick={create('checkout')}>
            New checkout
          </button>
          <button type="button" onClick={create('invoice')}>
            New invoice
          </button>
          <button type="button" className="primary" onClick={create('1')}>
            New payment link
          </button>
        </>
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
                  <td>
                    <AskedFor of={each} />
                  </td>
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
      {made === 'invoice' && <NewInvoice close={close} />}
      {made && made !== 'invoice' && <NewLink type={made === 'checkout' ? 'checkout' : 'link'} close={close} />}
    </Screen>
  )
}
