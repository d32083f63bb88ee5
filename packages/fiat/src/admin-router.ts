import { actingFor, command, query } from '@payments/platform'
import { findForOperator, pollNow, unfinishedOrders } from './admin.ts'
import { errors } from './errors.ts'
import { update } from './orders.ts'
import { applyPoll } from './polls.ts'
import { AdminOrderList, AdminOrderStatus, Nothing, OrderId } from './schemas.ts'

const tag = 'Local fiat'

/** Operator operations on orders of any organisation. */
export const fiatAdminRouter = {
  orders: query({
    rest: 'GET /admin/ops/fiat/orders',
    access: 'operator',
    tag,
    summary: 'List local fiat orders in flight and those that need attention',
    description:
      'Orders of all organisations. `attention`: `compliance_hold` (the provider holds the money), `money_with_provider` (failed, and no refund is reported), `refund_failed`, `returned_after_delivery` (the bank returned a confirmed transfer), `contradicting_report`. `pollError`: why the provider could not be asked. At most 200; `total` counts all.',
    message: 'Orders retrieved',
    input: Nothing,
    output: AdminOrderList,
    run: (context) => unfinishedOrders(context),
  }),
  sync: command({
    rest: 'POST /admin/ops/fiat/orders/{orderId}/sync',
    access: 'operator',
    tag,
    summary: 'Ask the provider for a local fiat order now',
    description:
      'At once instead of at the next poll, which happens by itself. It uses the rate budget of the provider.',
    message: 'Order synced',
    input: OrderId,
    output: AdminOrderStatus,
    errors: [errors.fiat_order_not_found, errors.fiat_provider_failed, errors.fiat_provider_unavailable],
    callsProvider: true,
    before: (context, { orderId }) => pollNow(context, orderId),
    async run(unit, _input, { direction, order, report }) {
      const { id, status } = await applyPoll(actingFor(unit, order), direction, order.id, report)
      return { id, direction, status }
    },
  }),
  resolve: command({
    rest: 'POST /admin/ops/fiat/orders/{orderId}/resolve',
    access: 'operator',
    tag,
    summary: 'Mark a local fiat order as dealt with',
    description: 'Removes `attention`. Balances stay: money in suspense is moved by an entry of the ledger.',
    message: 'Order resolved',
    input: OrderId,
    output: AdminOrderStatus,
    errors: [errors.fiat_order_not_found],
    async run(unit, { orderId }) {
      const { direction, order } = await findForOperator(unit, orderId)
      if (order.attention) await update(actingFor(unit, order), direction, order, { attention: null })
      return { id: order.id, direction, status: order.status }
    },
  }),
}
