import type { Client, Inputs } from '@payments/client'
import { amountsIn, chosenIn, createdIn, given, idIn, textIn } from './address.ts'

type Search = NonNullable<Inputs['transactions']['search']>
export type Filters = Omit<Search, 'before' | 'limit'>
export type TransactionKind = NonNullable<Filters['kinds']>[number]

/** What a text finds, and what it does not. */
export const TEXT = {
  placeholder: 'Id, hash, address, reference or email address, in full',
  hint: 'A text must be an id, a hash, an address, a reference or an email address in full.',
}

/** A page of the transactions that fit. */
export async function findTransactions(api: Client, input: Search) {
  const { transactions: rows, ...page } = await api.transactions.search.query(input)
  return { rows, ...page }
}

export const kinds = [
  ...['collection', 'payment_route', 'swap', 'offramp', 'onramp'],
  ...['cngn_payin', 'cngn_payout', 'cngn_convert', 'cngn_withdrawal', 'cngn_deposit'],
] as readonly TransactionKind[]
export const statuses: readonly string[] = [
  ...['awaiting_deposit', 'awaiting_payment', 'pending', 'processing', 'swapping', 'underpaid'],
  ...['settled', 'delivered', 'completed', 'paid', 'failed', 'expired', 'cancelled', 'returned', 'refunded'],
]
/** Currencies of countries. */
export const FIAT: readonly string[] = ['NGN', 'KES', 'UGX', 'TZS', 'TND']
export const assets: readonly string[] = ['USDC', 'USDT', 'EURC', 'cNGN', ...FIAT, 'ETH', 'SOL']

/** Parameters of the address that are filters. */
const NAMES = ['text', 'kind', 'status', 'asset', 'network', 'customer', 'min', 'max', 'from', 'until'] as const
type FilterName = (typeof NAMES)[number]

/** What an address filters by. What the service would not take, such as a kind that does not exist, is left out. */
export function filtersIn(search: URLSearchParams): Filters {
  return given({
    text: textIn(search),
    kinds: chosenIn(search, 'kind', kinds),
    statuses: chosenIn(search, 'status'),
    assets: chosenIn(search, 'asset'),
    networks: chosenIn(search, 'network'),
    customerId: idIn(search, 'customer'),
    ...amountsIn(search),
    ...createdIn(search),
  })
}

/** The filters of an address, and nothing else of it, as a view keeps them. */
export const parametersIn = (search: URLSearchParams): URLSearchParams =>
  new URLSearchParams(NAMES.flatMap((name) => (search.get(name) ? [[name, search.get(name) ?? '']] : [])))

/** The day that a time begins in the zone of the reader. */
const dayOf = (time: string, daysLater = 0): string => {
  const at = new Date(time)
  at.setDate(at.getDate() + daysLater)
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`
}

/** The address of the filters that a view keeps. */
export function parametersOf(filters: Filters): URLSearchParams {
  const {
    text,
    kinds: chosen,
    statuses: states,
    assets: symbols,
    networks,
    customerId,
    amountFrom,
    amountTo,
    from,
    to,
  } = filters
  const values: Readonly<Record<FilterName, string | undefined>> = {
    text,
    kind: chosen?.join(','),
    status: states?.join(','),
    asset: symbols?.join(','),
    network: networks?.join(','),
    customer: customerId,
    min: amountFrom,
    max: amountTo,
    from: from && dayOf(from),
    until: to && dayOf(to, -1),
  }
  return new URLSearchParams(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
