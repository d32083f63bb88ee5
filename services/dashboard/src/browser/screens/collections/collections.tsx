import type { Inputs } from '@payments/client'
import { useLocation } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { Missing, useMissing } from '../../parts/frame/missing.tsx'
import {
  AMOUNTS,
  amountsIn,
  CREATED,
  CUSTOMER,
  chosenIn,
  createdIn,
  type Filter,
  given,
  idIn,
  optionsOf,
  textIn,
  useAddress,
} from '../../parts/lists/address.ts'
import { Found, useFound } from '../../parts/lists/found.tsx'
import { CollectionTable } from '../../parts/object/collection-table.tsx'
import { Empty, Screen } from '../../parts/parts.tsx'
import { NewLink } from './new-link.tsx'

type Filters = NonNullable<Inputs['collections']['search']>

const TYPES: NonNullable<Filters['types']> = ['link', 'invoice', 'checkout']
const STATUSES: NonNullable<Filters['statuses']> = ['active', 'open', 'overdue', 'paid', 'expired', 'inactive', 'void']
const CURRENCIES: NonNullable<Filters['currencies']> = ['USDC', 'USDT', 'EURC']

const FILTERS: readonly Filter[] = [
  { name: 'type', label: 'Kind', options: optionsOf(TYPES, words) },
  { name: 'status', label: 'Status', options: optionsOf(STATUSES, words) },
  { name: 'currency', label: 'Currency', options: CURRENCIES.map((each) => [each, each]) },
  CUSTOMER,
  ...AMOUNTS,
  ...CREATED,
]

const filtersIn = (search: URLSearchParams) =>
  given({
    text: textIn(search),
    types: chosenIn(search, 'type', TYPES),
    statuses: chosenIn(search, 'status', STATUSES),
    currencies: chosenIn(search, 'currency', CURRENCIES),
    customerId: idIn(search, 'customer'),
    ...amountsIn(search),
    ...createdIn(search),
  })

/** Payment links, invoices and checkouts, filtered by what the address says. */
export function Collections() {
  const { api } = usePlace()
  const { search, change } = useAddress()
  const [, navigate] = useLocation()
  const found = useFound({
    name: 'collections',
    filters: filtersIn(search),
    async read(input) {
      const { collections: rows, ...page } = await api.collections.search.query(input)
      return { rows, ...page }
    },
  })
  const create = (type: string) => () => change({ new: type })
  const close = () => change({ new: '' }, { replace: true })
  const made = search.get('new')
  const canAsk = useMissing('routes') === undefined
  return (
    <Screen
      title="Collections"
      actions={
        canAsk && (
          <>
            <ChangeButton calls="collections.create" type="button" onClick={create('checkout')}>
              New checkout
            </ChangeButton>
            <ChangeButton calls="collections.create" type="button" onClick={() => navigate('/collections/new-invoice')}>
              New invoice
            </ChangeButton>
            <ChangeButton calls="collections.create" type="button" className="primary" onClick={create('1')}>
              New payment link
            </ChangeButton>
          </>
        )
      }
    >
      <Missing of="routes" />
      <Found
        of={found}
        one="collection"
        many="collections"
        placeholder="Title, invoice number, reference or id"
        filters={FILTERS}
        none={
          <Empty title="Ask for a payment">
            <p>
              A payment link takes any number of payments. Share its address or its QR code: the payer chooses a network
              and a currency, and you receive yours.
            </p>
          </Empty>
        }
      >
        {(collections) => <CollectionTable label="Collections" collections={collections} />}
      </Found>
      {canAsk && made && <NewLink type={made === 'checkout' ? 'checkout' : 'link'} close={close} />}
    </Screen>
  )
}
