/** Whose address a refund goes to. `service`: it is kept for whom it belongs to until an operator has passed it on. */
export const refundOwners = ['payer', 'organisation', 'service'] as const
type RefundOwner = (typeof refundOwners)[number]

/** Where refunds of a route go, and whose address that is. */
export interface RefundTo {
  readonly address: string
  readonly owner: RefundOwner
}
