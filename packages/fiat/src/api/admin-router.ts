import { errors as commonErrors, noInput } from '@payments/kernel'
import { ledgerErrors } from '@payments/ledger'
import { actingFor, locked, operatorCommand, query, settleContradictions } from '@payments/platform'
import { errors } from '../errors.ts'
import { findForOperator, pollNow, unfinishedOrders } from '../operators/admin.ts'
import { settle } from '../operators/settle.ts'
import { orderMissing, orderResource, update } from '../orders/orders.ts'
import { applyPoll } from '../polling/polls.ts'
import { AdminOrderList, AdminOrderStatus, OrderId, Settlement } from '../schemas.ts'

const tag = 'Local fiat'

/** Operator operations on orders of any organisation. */
export const fiatAdminRouter = {
  orders: query({
    rest: 'GET /admin/ops/fiat/orders',
    access: 'operator',
    tag,
    summary: 'List local fiat orders in flight and those that need attention',
    description:
      'Orders of all organisations. `attention`: `compliance_hold` (the provider holds the money), `money_with_provider` (failed, and no refund is reported), `refund_failed`, `returned_after_delivery` (the bank returned a confirmed transfer), `cancelled_by_provider` (it hides the order), `unconfirmed` (it says that it has transferred, and has not confirmed it for half an hour), `other_credentials` (the order was created with other credentials than those of now, and is not asked about with these), `contradicting_report`. `pollError`: why the provider could not be asked. At most 200; `total` counts all.',
    message: 'Orders retrieved',
    input: noInput,
    output: AdminOrderList,
    run: (context) => unfinishedOrders(context),
  }),
  sync: operatorCommand({
    rest: 'POST /admin/ops/fiat/orders/{orderId}/sync',
    tag,
    summary: 'Ask the provider for a local fiat order now',
    description:
      'At once instead of at the next poll, which happens by itself. It uses the rate budget of the provider.',
    message: 'Order synced',
    input: OrderId,
    output: AdminOrderStatus,
    errors: [
      errors.fiat_order_not_found,
      errors.fiat_order_not_shown,
      errors.fiat_provider_failed,
      errors.fiat_provider_unavailable,
    ],
    beforeOnlyReads: true,
    before: (context, { orderId }) => pollNow(context, orderId),
    async run(unit, _input, { direction, order, report }) {
      const { id, status } = report ? await applyPoll(actingFor(unit, order), direction, order.id, report) : order
      return { reply: { id, direction, status }, subject: order, before: { status: order.status } }
    },
  }),
  settle: operatorCommand({
    rest: 'POST /admin/ops/fiat/orders/{orderId}/settle',
    tag,
    summary: 'Settle a local fiat order',
    description:
      'From every state, also after the end: status, events and journal become those of the outcome, whatever was posted before. Without amounts, those of the order hold. Later reports that contradict it are kept for operators and change nothing.',
    message: 'Order settled',
    input: Settlement,
    output: AdminOrderStatus,
    errors: [
      errors.fiat_order_not_found,
      errors.fiat_nothing_to_settle,
      ledgerErrors.suspense_moved,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, input) {
      const { direction, before, order } = await settle(unit, input)
      return {
        reply: { id: order.id, direction, status: order.status },
        subject: order,
        before: { status: before.status, attention: before.attention ?? null },
        after: { status: order.status, failureReason: order.failureReason ?? null },
      }
    },
  }),
  resolve: operatorCommand({
    rest: 'POST /admin/ops/fiat/orders/{orderId}/resolve',
    tag,
    summary: 'Mark a local fiat order as handled',
    description: 'Removes `attention`. Balances stay: money in suspense is moved by an entry of the ledger.',
    message: 'Order resolved',
    input: OrderId,
    output: AdminOrderStatus,
    errors: [errors.fiat_order_not_found],
    async run(unit, { orderId }) {
      const { direction, order: found } = await findForOperator(unit, orderId)
      const own = actingFor(unit, found)
      const order = await locked(own, orderResource[direction], found.id, orderMissing[direction])
      if (order.attention) await update(own, direction, order, { attention: null })
      settleContradictions(own, order)
      return {
        reply: { id: order.id, direction, status: order.status },
        subject: order,
        before: { attention: order.attention ?? null },
        after: { attention: null },
      }
    },
  }),
}
