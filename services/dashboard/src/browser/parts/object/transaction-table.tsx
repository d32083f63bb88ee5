import type { Outputs } from '@payments/client'
import { Link } from 'wouter'
import { words } from '../format.ts'
import { Amount, Status, Time } from '../parts.tsx'

type Transactions = Outputs['transactions']['search']['transactions']

/** Transactions, newest first. */
export function TransactionTable({ transactions }: { transactions: Transactions }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways on a phone must scroll with keys too
    <section className="table" tabIndex={0} aria-label="Transactions">
      <table>
        <thead>
          <tr>
            <th scope="col">Amount</th>
            <th scope="col">Status</th>
            <th scope="col">Kind</th>
            <th scope="col">Customer</th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {transactions.map(({ id, amount, status, kind, customerName, createdAt }) => (
            <tr key={id}>
              <td>
                <Link href={`/transactions/${id}`}>
                  <Amount of={amount} />
                </Link>
              </td>
              <td>
                <Status of={status} />
              </td>
              <td>{words(kind)}</td>
              <td>{customerName || '–'}</td>
              <td>
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
