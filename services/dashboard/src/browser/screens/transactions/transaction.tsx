import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { asMoney, exact, type Money, networkName, words } from '../../parts/format.ts'
import { LoadFailure } from '../../parts/object/not-loaded.tsx'
import { Raw } from '../../parts/object/raw.tsx'
import { listedStatus } from '../../parts/object/sentences.ts'
import { Timeline } from '../../parts/object/timeline.tsx'
import { Amount, Copy, Copyable, Screen, Skeleton, Status, Time } from '../../parts/parts.tsx'

/** One transaction: what it is, what happened to it, and the object as the API returns it. */
export function Transaction({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'transaction', id],
    queryFn: () => api.transactions.get.query({ transactionId: id }),
  })
  // Of an account only the end is known, and a balance has no address.
  const address = /\w{26,}$/.exec(data?.destination ?? '')?.[0]
  return (
    <Screen title="Transaction">
      {error && <LoadFailure error={error} retry={() => void refetch()} list={['/transactions', 'transactions']} />}
      {!data && !error && <Skeleton />}
      {data && (
        <>
          <p className="main-amount">
            <Amount of={asMoney(data.amount)} /> <Status of={listedStatus(data)} />
          </p>
          <dl className="facts">
            <dt>Kind</dt>
            <dd>{words(data.kind)}</dd>
            <dt>Id</dt>
            <dd>
              <Copyable text={data.id} label="Copy the id" />
            </dd>
            <dt>Destination</dt>
            <dd>
              {data.destination} {address && <Copy text={address} label="Copy the address of the destination" />}
            </dd>
            {data.amountUsd && (
              <>
                <dt>Value</dt>
                <dd>
                  <Amount of={`${data.amountUsd} USD`} />
                </dd>
              </>
            )}
            {legsOf(data.receipt).map(([name, amount]) => (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>
                  <Amount of={amount} />
                </dd>
              </Fragment>
            ))}
            {data.customerId && (
              <>
                <dt>Customer</dt>
                <dd>
                  <Link href={`/customers/${data.customerId}`}>{data.customerName || data.customerId}</Link>
                </dd>
              </>
            )}
            <dt>Created</dt>
            <dd>
              <Time at={data.createdAt} />
            </dd>
          </dl>
          <p>
            {typeof data.receipt.collectionId === 'string' ? (
              <Link href={`/collections/${data.receipt.collectionId}`}>Show the payment link</Link>
            ) : (
              <Link href={`/objects/${data.id}`}>Show all details</Link>
            )}
          </p>
          <Timeline id={data.id} of={data.kind} amount={exact(asMoney(data.amount))} />
          <Raw value={data} call={`GET /v1/transactions/${data.id}`} />
        </>
      )}
    </Screen>
  )
}

/** What came in, what went out and what it cost, as far as the receipt of its kind says it. */
function legsOf(receipt: Readonly<Record<string, unknown>>): [name: string, amount: Money][] {
  const leg = (name: string) => {
    const { amount, symbol, network } = (receipt[name] ?? {}) as Readonly<Record<string, unknown>>
    return typeof amount === 'string' && typeof symbol === 'string'
      ? {
          symbol,
          text: `${amount} ${symbol}${typeof network === 'string' ? ` on ${networkName(network)}` : ''}` as const,
        }
      : undefined
  }
  const [from, to] = [leg('origin') ?? leg('source'), leg('destination')]
  // `fee` is taken from what comes in, `fees` from what goes out.
  const charged = [
    ['fee', from],
    ['fees', to],
  ] as const
  return [
    ...(from ? [['In', from.text] as [string, Money]] : []),
    ...(to ? [['Out', to.text] as [string, Money]] : []),
    ...charged.flatMap(([name, of]): [string, Money][] => {
      const amount = receipt[name]
      return typeof amount === 'string' && of ? [['Fees', `${amount} ${of.symbol}`]] : []
    }),
  ]
}
