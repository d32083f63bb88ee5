import type { Outputs } from '@payments/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { type Money, words } from '../format.ts'
import { Amount, Status, Time } from '../parts.tsx'
import { Table } from '../table.tsx'

type Collections = readonly Outputs['collections']['search']['collections'][number][]

/** What a collection asks for, with its currency: its amount or its price; undefined where the payer chooses. */
export function askedFor({
  amount,
  pricing,
  currency,
}: {
  readonly amount: string | null
  readonly pricing: { readonly amount: string; readonly currency: string } | null
  readonly currency: string
}): Money | undefined {
  if (pricing) return `${pricing.amount} ${pricing.currency}`
  return amount === null ? undefined : `${amount} ${currency}`
}

/** Links, invoices and checkouts, newest first. Drawn again only for others, as the table of transactions is. */
export const CollectionTable = memo(({ label, collections }: { label: string; collections: Collections }) => (
  <Table
    label={label}
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
