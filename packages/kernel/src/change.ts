import type { Tenant } from './actor.ts'

/** How a business object appears in the unified list of transactions (specification, Transaction). */
export interface LedgerEntry {
  readonly kind: string
  readonly customerId: string | null
  /** Descriptive text: network, symbol, address. */
  readonly destination: string
  /** Decimal text; null while it is not known. {@link amountText} shows both. */
  readonly amount: string | null
  /** Symbol of the amount. */
  readonly currency: string
  readonly amountUsd: string | null
  readonly receipt: Record<string, unknown>
  /** When the transaction began, where that is later than the object's creation. */
  readonly createdAt?: Date
}

/** The amount of an entry with its symbol, as people read it: `"12.5 USDC"`; `"0 USDC"` while it is not known, and nothing without an entry. */
export const amountText = (entry: Pick<LedgerEntry, 'amount' | 'currency'> | undefined): string =>
  entry ? `${entry.amount ?? '0'} ${entry.currency}` : ''

/** More decimals than any token has: nothing is rounded. */
const MOST_DECIMALS = 20
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: MOST_DECIMALS })

/** `1234.5` as `1,234.5`, every digit of it: they are never passed through a floating-point number. */
export const exactNumber = (number: string): string => numbers.format(number as `${number}`)

/** `1234.5 USDC` as `1,234.5 USDC`; what is no amount stays as it is. */
export function exactAmount(amount: string): string {
  const [, number, rest = ''] = /^(-?\d+(?:\.\d+)?)(.*)$/s.exec(amount) ?? []
  return number === undefined ? amount : exactNumber(number) + rest
}

/** The amount of an entry in an English sentence: `1,234.5 USDC`. */
export const shownAmount = (entry: Pick<LedgerEntry, 'amount' | 'currency'> | undefined): string =>
  exactAmount(amountText(entry))

/** A resource was created or changed its status. Events, ledger entries and notifications are derived from it. */
export interface Change extends Tenant {
  /** Event type, for example `payment_route.created`; null for a resource without events. */
  readonly type: string | null
  readonly resourceId: string
  readonly status: string
  /** Null when the resource was created. */
  readonly previousStatus: string | null
  /** An operator has corrected what had been recorded. */
  readonly correction?: boolean
  /** The resource as its GET shows it. */
  readonly data: Record<string, unknown>
  readonly createdAt: Date
  readonly at: Date
  /** Present when the resource appears in the unified list of transactions. */
  readonly entry?: LedgerEntry
}

/** An amount that the journal holds for one object: minor units of one asset on the accounts with one purpose. */
export interface ObjectBalance {
  readonly purpose: string
  readonly asset: string
  readonly amount: bigint
}

/** Where the money of a transaction goes: to the organisation, to somebody else, or from one of its currencies to another. */
export type Direction = 'in' | 'out' | 'exchange'

/** What is known of a kind of transactions. */
interface KindDeclaration {
  readonly direction: Direction
  /**
   * Whose the journal's `external` account is: the other party's, who pays or is paid, or a wallet of the organisation itself, from which
   * money is sent to be exchanged or paid out.
   */
  readonly external: 'party' | 'wallet'
}

/** The kinds of transactions (specification, Transaction), in the order in which the table of transactions has them. */
export const kindDeclarations = {
  payment_route: { direction: 'in', external: 'party' },
  swap: { direction: 'exchange', external: 'wallet' },
  collection: { direction: 'in', external: 'party' },
  offramp: { direction: 'out', external: 'wallet' },
  onramp: { direction: 'in', external: 'party' },
  cngn_convert: { direction: 'exchange', external: 'wallet' },
  cngn_withdrawal: { direction: 'out', external: 'party' },
  cngn_payout: { direction: 'out', external: 'party' },
  cngn_payin: { direction: 'in', external: 'party' },
  cngn_deposit: { direction: 'in', external: 'party' },
} as const satisfies Readonly<Record<string, KindDeclaration>>

export type TransactionKind = keyof typeof kindDeclarations

/** The direction of a kind of transactions; `exchange` for a text that is no kind. */
export const directionOf = (kind: string): Direction =>
  Object.hasOwn(kindDeclarations, kind) ? kindDeclarations[kind as TransactionKind].direction : 'exchange'
