import { words } from '../format.ts'

/** Kinds of transactions by where their money goes: in to the merchant, out to somebody else. Any other is an exchange of their own. */
const IN = ['collection', 'payment_route', 'onramp', 'cngn_payin', 'cngn_deposit']
const OUT = ['offramp', 'cngn_payout', 'cngn_withdrawal']

export type Direction = 'in' | 'out' | 'exchange'

export const directionOf = (kind: string): Direction =>
  IN.includes(kind) ? 'in' : OUT.includes(kind) ? 'out' : 'exchange'

/** What directions are called. */
export const DIRECTIONS: Readonly<Record<Direction, string>> = { in: 'In', out: 'Out', exchange: 'Exchange' }

interface Transaction {
  readonly kind: string
  readonly destination: string
  readonly receipt: Readonly<Record<string, unknown>>
}

/** What was sold, or what a transaction was for: the title and number of a collection, the recipient of a payout. */
export function purposeOf({ kind, destination, receipt }: Transaction): string {
  const { title, number } = receipt
  if (typeof title === 'string' && title) return typeof number === 'string' && number ? `${title} (${number})` : title
  return directionOf(kind) === 'out' ? `${words(kind)} to ${destination}` : words(kind)
}
