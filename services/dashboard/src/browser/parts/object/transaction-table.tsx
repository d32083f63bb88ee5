import type { Outputs } from '@payments/client'
import { directionOf } from '@payments/kernel'
import { memo } from 'react'
import { Link } from 'wouter'
import { asMoney } from '../format.ts'
import { Amount, Status, Time } from '../parts.tsx'
import { NONE, Table } from '../table.tsx'
import { DIRECTIONS, purposeOf } from './direction.ts'
import { listedStatus } from './sentences.ts'

type Transactions = readonly Outputs['transactions']['search']['transactions'][number][]

/** Transactions, newest first. Drawn again only for others: hundreds of rows take a slow processor half a second. */
export const TransactionTable = memo(({ transactions }: { transactions: Transactions }) => {
  return (
    <Table
      label="Transactions"
      rows={transactions}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Amount',
          cell: ({ id, amount }) => (
            <Link href={`/transactions/${id}`}>
              <Amount of={asMoney(amount)} />
            </Link>
          ),
        },
        { title: 'Status', cell: (each) => <Status of={listedStatus(each)} /> },
        { title: 'Direction', cell: ({ kind }) => DIRECTIONS[directionOf(kind)] },
        { title: 'For', cell: (each) => purposeOf(each) },
        { title: 'Customer', cell: ({ customerName }) => customerName || NONE },
        { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
})
