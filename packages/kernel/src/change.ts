import type { Tenant } from './actor.ts'

/** How a business object appears in the unified list of transactions (specification, Transaction). */
export interface LedgerEntry {
  readonly kind: string
  readonly customerId: string | null
  /** Descriptive text: network, symbol, address. */
  readonly destination: string
  /** Decimal text with its symbol: `"12.5 USDC"`. */
  readonly amount: string
  readonly amountUsd: string | null
  readonly receipt: Record<string, unknown>
  /**
   * What the journal must hold for the object in its present state: for each step, the minor units moved of an asset. The
   * ledger's check compares this with the journal. Absent: the object posts nothing.
   */
  readonly journal?: readonly { readonly step: string; readonly asset: string; readonly amount: string }[]
}

/** A resource was created or changed its status. Events, list entries and notifications derive from it. */
export interface Change extends Tenant {
  /** Event type, for example `payment_route.created`; null for a resource without events. */
  readonly type: string | null
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
