import { Link } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { isId } from '../../parts/forms/checks.ts'
import { afterPaint } from '../../parts/frame/after-paint.ts'
import { AMOUNTS, CREATED, CUSTOMER, type Filter, optionsOf, textIn, useAddress } from '../../parts/lists/address.ts'
import { Found, useFound } from '../../parts/lists/found.tsx'
import { assets, filtersIn, findTransactions, kinds, statuses, TEXT } from '../../parts/lists/transactions.ts'
import { TransactionTable } from '../../parts/object/transaction-table.tsx'
import { Empty, Screen } from '../../parts/parts.tsx'
import { useNetworks } from '../payments/forms/options.ts'
import { Export } from './export.tsx'
import { Views } from './views.tsx'

const same = (value: string): string => value

/** The filters of the list. */
function useFilters(): readonly Filter[] {
  const networks = useNetworks()
  return [
    { name: 'kind', label: 'Kind', options: optionsOf(kinds, words) },
    { name: 'status', label: 'Status', options: optionsOf(statuses, words) },
    { name: 'asset', label: 'Asset', options: optionsOf(assets, same) },
    { name: 'network', label: 'Network', options: networks.map(({ key, name }) => [key, name]) },
    CUSTOMER,
    ...AMOUNTS,
    ...CREATED,
  ]
}

/** All transactions, filtered by what the address says. */
export function Transactions() {
  const { api } = usePlace()
  const { search, change } = useAddress()
  const found = useFound({
    name: 'transactions',
    filters: filtersIn(search),
    read: (input) => findTransactions(api, input),
  })
  const filters = useFilters()
  const { total, shown } = found
  const text = textIn(search) ?? ''
  return (
    <Screen
      title="Transactions"
      actions={
        <button type="button" disabled={total === 0} onClick={() => afterPaint(() => change({ export: '1' }))}>
          Export
        </button>
      }
    >
      <Views />
      <Found
        of={found}
        one="transaction"
        many="transactions"
        placeholder={TEXT.placeholder}
        filters={filters}
        none={<NothingYet />}
        hint={
          <>
            <p>{TEXT.hint}</p>
            {isId(text) && (
              <p>
                <Link href={`/objects/${text}`}>Show the object with this id</Link>
              </p>
            )}
          </>
        }
      >
        {(transactions) => <TransactionTable transactions={transactions} />}
      </Found>
      {search.has('export') && total !== 0 && (
        <Export filters={shown} total={total} close={() => change({ export: '' })} />
      )}
    </Screen>
  )
}

function NothingYet() {
  const { environment } = usePlace()
  return (
    <Empty title="No transactions yet">
      <p>Whatever moves money is listed here: payments, swaps, conversions, payouts.</p>
      <p>
        <Link href="/collections?new=1">Create a payment link</Link>
        {environment === 'test' && ' and pay it in the sandbox with one click.'}
      </p>
    </Empty>
  )
}
