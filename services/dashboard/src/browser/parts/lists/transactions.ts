import type { Inputs } from '@payments/client'
import { chosenIn, createdIn, given, idIn, textIn } from '../../parts/lists/address.ts'

export type Filters = Omit<NonNullable<Inputs['transactions']['search']>, 'before' | 'limit'>

export const kinds = [
  ...['collection', 'payment_route', 'swap', 'offramp', 'onramp'],
  ...['cngn_payin', 'cngn_payout', 'cngn_convert', 'cngn_withdrawal', 'cngn_deposit'],
] as readonly NonNullable<Filters['kinds']>[number][]
export const statuses: readonly string[] = [
  ...['awaiting_deposit', 'awaiting_payment', 'pending', 'processing', 'swapping', 'underpaid'],
  ...['settled', 'delivered', 'completed', 'paid', 'failed', 'expired', 'cancelled', 'returned', 'refunded'],
]
export const assets: readonly string[] = ['USDC', 'USDT', 'EURC', 'cNGN', 'NGN', 'KES', 'GHS', 'UGX', 'ETH', 'SOL']

/** Parameters of the address that are filters. */
const NAMES = ['text', 'kind', 'status', 'asset', 'network', 'customer', 'min', 'max', 'from', 'until'] as const
type FilterName = (typeof NAMES)[number]

/** What an address filters by. What the service would not take, such as a kind that does not exist, is left out. */
export function filtersIn(search: URLSearchParams): Filters {
  const amount = (name: 'min' | 'max') =>
    /^\d{1,20}(\.\d{1,18})?$/.test(search.get(name) ?? '') ? (search.get(name) ?? undefined) : undefined
  return given({
    text: textIn(search),
    kinds: chosenIn(search, 'kind', kinds),
    statuses: chosenIn(search, 'status'),
    assets: chosenIn(search, 'asset'),
    networks: chosenIn(search, 'network'),
    customerId: idIn(search, 'customer'),
    amountFrom: amount('min'),
    amountTo: amount('max'),
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
