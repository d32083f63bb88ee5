import type { Tenant, Work } from './context.ts'

/** The kinds of the unified list of transactions (specification, Transaction). */
export const transactionKinds = [
  'payment_route',
  'swap',
  'collection',
  'offramp',
  'onramp',
  'cngn_convert',
  'cngn_withdrawal',
  'cngn_payout',
  'cngn_payin',
  'cngn_deposit',
] as const
export type TransactionKind = (typeof transactionKinds)[number]

/** What a business object looks like in the unified list. Amounts are texts made from exact minor units. */
export interface LedgerEntry {
  readonly kind: TransactionKind
  readonly customerId: string | null
  /** Descriptive: network, symbol, address. */
  readonly destination: string
  /** With its symbol, `"12.5 USDC"`. */
  readonly amount: string
  readonly amountUsd: string | null
  readonly receipt: Record<string, unknown>
  /**
   * What the object's state must have in the journal: for each step, what moved of an asset in minor units. The check of the ledger holds it
   * against the journal. Absent: nothing is booked for the object.
   */
  readonly journal?: readonly { readonly step: string; readonly asset: string; readonly amount: string }[]
}

/** One resource came to be or changed its status. Recorders derive events, ledger entries and notifications from it. */
export interface Change extends Tenant {
  /** Event type, e.g. `payment_route.created`. */
  readonly type: string
  readonly resourceId: string
  readonly status: string
  /** Null when the resource was created. */
  readonly previousStatus: string | null
  /** The resource as its GET shows it. */
  readonly data: Record<string, unknown>
  readonly createdAt: Date
  readonly at: Date
  /** Present when the object is an entry of the unified list. */
  readonly entry?: LedgerEntry
}

/** Hears of each change in its transaction. The list of recorders is composed in one visible place. */
export type Recorder = (work: Work, change: Change) => void | Promise<void>
