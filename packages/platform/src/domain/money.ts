import type { FailureReasons, ObjectBalance } from '@payments/kernel'
import type { z } from 'zod'
import type { Runtime } from '../operations/context/context.ts'

/** An amount of a report, in minor units of its asset. */
export interface ReportedAmount {
  readonly asset: string
  readonly amount: bigint
}

/** What a report says of the money of an object. Absent: the report does not say. */
export interface ReportedAmounts {
  readonly received?: ReportedAmount | undefined
  readonly delivered?: ReportedAmount | undefined
  readonly refunded?: ReportedAmount | undefined
}

/** What a statement says of one transaction. */
export interface StatementLine {
  /** Number of the invoice that was paid; empty for another. */
  readonly number?: string
  /** What was paid for. */
  readonly title?: string
  /** What was sent back to the payer: decimal text; "0" for nothing. */
  readonly returned: readonly { readonly asset: string; readonly amount: string }[]
}

/** The receipt of one kind of transaction. */
export interface ReceiptDeclaration {
  readonly schema: z.ZodType
  /**
   * The balances that the journal must hold for an object with this receipt. Computed from the receipt alone, and not by
   * the code that writes the postings, because the ledger's check compares the two.
   */
  balances(receipt: never): readonly ObjectBalance[]
  /** What the last report of the provider must say for an object with this receipt; amounts that it leaves out are not compared. */
  evidence?(receipt: never): ReportedAmounts
  /** What a statement of a customer's payments says of it beside what the list has. */
  line?(receipt: never): StatementLine
  /**
   * Statuses in which the money is where it should be, and those in which it was sent back or is stranded. Success rates are the former
   * of both: what is under way, or ended before any money came, is in neither. A status has the same outcome whatever the kind: reports rely
   * on it. `ended`: those that ended before any money came.
   */
  readonly outcomes: {
    readonly succeeded: readonly string[]
    readonly failed: readonly string[]
    readonly ended?: readonly string[]
  }
}

/** A check of a domain's own records, which a job of the domain runs and whose result it stores. */
export interface SelfCheck {
  readonly name: string
  /** The latest result, as the internal server shows it; null when there is none yet. */
  latest(runtime: Pick<Runtime, 'pool'>): Promise<Readonly<Record<string, unknown>> | null>
}

/**
 * Addresses of this service: nothing is paid out or sent back to one of them. `what` they are, for messages. Either those of a table, by a
 * column (or expression) with an index of its own, or those that the settings name.
 */
export type OwnAddresses = { readonly what: string } & (
  | { readonly from: string; readonly by: string; readonly where?: string }
  | { known(runtime: Pick<Runtime, 'settings' | 'providers'>): readonly string[] }
)

/** What a domain says of the money that it moves. */
export interface MoneyDeclaration {
  /** Receipts by kind of transaction (specification, Transaction). */
  readonly receipts?: Readonly<Record<string, ReceiptDeclaration>>
  /** The documented list of failure reasons of each kind of object, by its name in the reference. */
  readonly failureReasons?: Readonly<Record<string, FailureReasons>>
  /** Addresses that it gives out for deposits, and those that it pays from. */
  readonly ownAddresses?: readonly OwnAddresses[]
  /** Checks whose latest result the internal server shows. */
  readonly selfChecks?: readonly SelfCheck[]
}
