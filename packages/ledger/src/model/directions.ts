// Imports nothing: the dashboard's page takes it as it is.

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
