import { exactNumber } from '@payments/kernel'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Redirect } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { networkName, words } from '../../parts/format.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { typedAmount } from '../../parts/forms/checks.ts'
import { fileAddress } from '../../parts/forms/files.ts'
import { Code } from '../../parts/object/code.tsx'
import { askedFor } from '../../parts/object/collection-table.tsx'
import { CustomerLink } from '../../parts/object/customer-link.tsx'
import { NotLoaded } from '../../parts/object/not-loaded.tsx'
import { Raw } from '../../parts/object/raw.tsx'
import { Timeline } from '../../parts/object/timeline.tsx'
import { Amount, Copy, Copyable, Due, Failure, Field, Screen, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { Actions } from './actions.tsx'
import { Decide } from './decide.tsx'

/** One payment link, invoice or checkout: how to share it, and what was paid. */
export function Collection({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'collection', id],
    async queryFn() {
      const collection = await api.collections.get.query({ collectionId: id })
      const list =
        collection.type === 'session' ? undefined : await api.collections.sessions.query({ collectionId: id })
      return { collection, sessions: list?.sessions ?? [] }
    },
  })
  const collection = data?.collection
  // The transaction of a payment has the id of its session, which is shown with its link.
  if (collection?.type === 'session') return <Redirect to={`/collections/${collection.parentId}`} replace />
  if (!data || !collection)
    return (
      <NotLoaded
        title="Payment link"
        error={error}
        retry={() => void refetch()}
        list={['/collections', 'collections']}
      />
    )
  const { sessions } = data
  const asked = askedFor(collection)
  /** Currency of the items. */
  const priced = collection.pricing?.currency ?? collection.currency
  return (
    <Screen title={collection.title} actions={<Actions of={collection} />}>
      <p className="main-amount">
        {asked === undefined ? `The payer chooses the amount, in ${collection.currency}` : <Amount of={asked} />}{' '}
        <Status of={collection.status} />
      </p>
      <div className="share">
        <Code text={collection.payUrl} />
        <div className="ways">
          <h2>Share it</h2>
          <p className="link">
            <a href={collection.payUrl} target="_blank" rel="noreferrer">
              {collection.payUrl}
            </a>
          </p>
          <Copy text={collection.payUrl} label="Copy the address of the pay page" />
          {environment === 'test' && ['active', 'open', 'overdue'].includes(collection.status) && (
            <Pay
              id={collection.id}
              options={collection.paymentOptions}
              asks={asked === undefined}
              currency={collection.currency}
            />
          )}
        </div>
      </div>
      <section aria-label="Payments" aria-live="polite">
        <h2>Payments</h2>
        {sessions.length === 0 ? (
          <p className="hint">None yet. Payments appear here automatically.</p>
        ) : (
          <ul className="rows">
            {sessions.map((each) => (
              <li key={each.id}>
                {each.payments.length > 0 ? (
                  <Link href={`/transactions/${each.id}`}>
                    <Amount of={`${each.amount} ${each.currency}`} />
                  </Link>
                ) : (
                  <Amount of={`${each.amount} ${each.currency}`} />
                )}
                <span>{each.method === 'bank_transfer' ? 'Bank transfer' : networkName(each.networkKey)}</span>
                <Status of={each.status} />
                <Time at={each.createdAt} />
                {each.payments.length > 0 && each.payments.every(({ status }) => status !== 'pending') && (
                  <a download href={fileAddress(`/collections/sessions/${each.id}/receipt.pdf`, environment)}>
                    Receipt
                  </a>
                )}
                {each.situation && each.situation.outcome !== 'none' && (
                  <p className={each.situation.next === 'nobody' ? 'next settled' : 'next'}>
                    <strong>{each.situation.heading}.</strong> {each.situation.text}
                  </p>
                )}
                {each.situation?.next === 'merchant' && <Decide of={each} />}
              </li>
            ))}
          </ul>
        )}
      </section>
      {collection.items.length > 0 && (
        <Table
          numbers
          label="Items"
          rows={collection.items}
          keyOf={({ description, unitAmount }) => `${description} ${unitAmount}`}
          columns={[
            { title: 'Item', cell: ({ description }) => description },
            { title: 'Quantity', numeric: true, cell: ({ quantityDecimal }) => exactNumber(quantityDecimal) },
            {
              title: 'Price',
              numeric: true,
              cell: ({ unitAmount }) => <Amount of={`${unitAmount} ${priced}`} />,
            },
            { title: 'Tax', numeric: true, cell: ({ taxPercent }) => `${taxPercent}%` },
            {
              title: 'Sum',
              numeric: true,
              cell: ({ subtotal }) => <Amount of={`${subtotal} ${priced}`} />,
            },
          ]}
        />
      )}
      <dl className="facts">
        {collection.number && (
          <>
            <dt>Number</dt>
            <dd>{collection.number}</dd>
          </>
        )}
        {collection.customerId && (
          <>
            <dt>Customer</dt>
            <dd>
              <CustomerLink id={collection.customerId} />
            </dd>
          </>
        )}
        {collection.discount && (
          <>
            <dt>{collection.discount.description ?? 'Discount'}</dt>
            <dd>
              <Amount of={`-${collection.discount.amount} ${priced}`} />
              {collection.discount.percent !== null && ` (${collection.discount.percent}%)`}
            </dd>
          </>
        )}
        {collection.tax && (
          <>
            <dt>Tax</dt>
            <dd>
              <Amount of={`${collection.tax} ${priced}`} />
            </dd>
          </>
        )}
        {collection.dueAt && (
          <>
            <dt>Due</dt>
            <dd>
              <Due at={collection.dueAt} timeZone={collection.timeZone} />
            </dd>
          </>
        )}
        <dt>Ways to pay</dt>
        <dd>{collection.methods.includes('bank_transfer') ? 'Stablecoin or bank transfer' : 'Stablecoin'}</dd>
        {collection.acceptedNetworks && (
          <>
            <dt>Networks that payers may use</dt>
            <dd>{collection.acceptedNetworks.map(words).join(', ')}</dd>
          </>
        )}
        {collection.acceptedCurrencies && (
          <>
            <dt>Currencies that payers may use</dt>
            <dd>{collection.acceptedCurrencies.join(', ')}</dd>
          </>
        )}
        <dt>Received</dt>
        <dd>
          <Amount of={`${collection.receivedAmount} ${collection.currency}`} />
        </dd>
        <dt>Destination</dt>
        <dd>
          {networkName(collection.destinationChainKey)}{' '}
          <Copyable text={collection.destinationAddress} label="Copy the address of the destination" />
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={collection.createdAt} />
        </dd>
      </dl>
      <Timeline id={collection.id} of="collection" />
      <Raw value={collection} call={`GET /v1/collections/${collection.id}`} />
    </Screen>
  )
}

/** Pays as a payer would, in the sandbox: starts a session and simulates its payment. */
function Pay({
  id,
  options: [option],
  asks,
  currency,
}: {
  id: string
  options: readonly { networkKey: string; currency: string }[]
  asks: boolean
  currency: string
}) {
  const { environment, api } = usePlace()
  const [amount, setAmount] = useState('25')
  const typed = typedAmount(amount, { currency })
  const pay = useMutation({
    async mutationFn() {
      if (!option) return
      const started = await api.pay.act.mutate({
        ...{ collectionId: id, action: 'start', networkKey: option.networkKey, currency: option.currency },
        ...(asks && 'amount' in typed ? { amount: typed.amount } : {}),
      })
      await api.sandbox.checkoutSessions.pay.mutate({ sessionId: started.id })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  if (!option) return null
  return (
    <div className="pay">
      {asks && (
        <Field label={`Amount in ${currency}`} error={'problem' in typed ? typed.problem : undefined}>
          {(props) => (
            <input {...props} inputMode="decimal" value={amount} onChange={({ target }) => setAmount(target.value)} />
          )}
        </Field>
      )}
      <ChangeButton
        calls="sandbox.checkoutSessions.pay"
        type="button"
        className="primary"
        disabled={pay.isPending}
        onClick={() => pay.mutate()}
      >
        {pay.isPending ? 'Paying …' : 'Pay it in the sandbox'}
      </ChangeButton>
      <p className="hint" role="status">
        {pay.isSuccess ? 'Payment sent. It appears below in a few seconds.' : 'Simulates a payer. No money moves.'}
      </p>
      <Failure error={pay.error} />
    </div>
  )
}
