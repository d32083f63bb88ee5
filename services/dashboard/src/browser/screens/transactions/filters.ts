import type { Inputs } from '@payments/client'
import { valuesIn } from '../../parts/several.tsx'

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
export type FilterName = (typeof NAMES)[number]

/** The day in the zone of the reader as a time; of a text that is no day, nothing. */
function startOf(day: string | null, daysLater = 0): string | undefined {
  const at = new Date(`${day}T00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + daysLater)
  return at.toISOString()
}

const some = (text: string | null): string[] | undefined => {
  const values = valuesIn(text)
  return values.length > 0 ? values : undefined
}

/** What an address filters by. What the service would not take, such as a kind that does not exist, is left out. */
export function filtersIn(search: URLSearchParams): Filters {
  const get = (name: FilterName) => search.get(name)
  const amount = (name: 'min' | 'max') => (/^\d{1,20}(\.\d{1,18})?$/.test(get(name) ?? '') ? get(name) : undefined)
  const chosen = kinds.filter((kind) => some(get('kind'))?.includes(kind))
  const filters = {
    text: get('text')?.trim() || undefined,
    kinds: chosen.length > 0 ? [...chosen] : undefined,
    statuses: some(get('status')),
    assets: some(get('asset')),
    networks: some(get('network')),
    customerId: /^[\da-f-]{36}$/i.test(get('customer') ?? '') ? get('customer') : undefined,
    amountFrom: amount('min'),
    amountTo: amount('max'),
    from: startOf(get('from')),
    to: startOf(get('until'), 1),
  }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Filters
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
