import { createResource, type Resource, type UnitOfWork, updateResource } from '@payments/platform'
import { RefundEntity } from '../entities/entity.ts'
import type { OfframpRow } from '../entities/offramp.ts'
import type { OnrampRow } from '../entities/onramp.ts'
import { errors } from '../errors.ts'
import type { Direction } from '../provider/provider.ts'
import { offrampResource, onrampResource, refundResource } from './resources.ts'

export type OrderRow = OfframpRow | OnrampRow
/** Either resource, where code treats both alike. */
type OrderResource = Resource<OrderRow, string, string>

export const orderResource = {
  offramp: offrampResource as unknown as OrderResource,
  onramp: onrampResource as unknown as OrderResource,
} as const
export const orderMissing = { offramp: errors.offramp_not_found, onramp: errors.onramp_not_found } as const

/** Columns of an order that its status does not decide. */
type Changes = Partial<OfframpRow> | Partial<OnrampRow>

/** Changes columns of a locked order without a change of status: in the row and in the list of transactions, without an event. */
export async function update(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  fields: Changes,
): Promise<OrderRow> {
  return updateResource(unit, orderResource[direction], order, fields)
}

/** {@link update} with the order's event: for changes of its refund. Status and previous status of the event are the same. */
export async function updateAnnounced(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  fields: Changes,
): Promise<OrderRow> {
  return updateResource(unit, orderResource[direction], order, fields, 'event')
}

/** Where the money of an order goes back to. */
const destinationOf = (order: OrderRow): string | null =>
  'refundAddress' in order ? order.refundAddress : (order.refundAccountNumber ?? null)

/** Creates the refund of an order, under the order's id. The order's next change shows it. */
export async function createRefund(unit: UnitOfWork, order: OrderRow): Promise<void> {
  // One that was withdrawn is there, and may still be completed.
  if ((await unit.em.count(RefundEntity, { id: order.id })) > 0) return
  createResource(unit, refundResource, {
    id: order.id,
    organisationId: order.organisationId,
    environment: order.environment,
    amount: null,
    destination: destinationOf(order),
    txHash: null,
  })
}
