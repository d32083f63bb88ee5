import { type Direction, directionOf } from '@payments/kernel'
import { words } from '../format.ts'

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
