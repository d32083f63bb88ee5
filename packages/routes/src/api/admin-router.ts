import { errors as commonErrors, noInput } from '@payments/kernel'
import { ledgerErrors } from '@payments/ledger'
import { operatorCommand, query, sqlOf, type UnitOfWork } from '@payments/platform'
import { syncNow } from '../deposits/deposits.ts'
import { recordDeposit, settleDeposit } from '../deposits/settle.ts'
import { presentDeposit, presentRoute } from '../entity.ts'
import { errors } from '../errors.ts'
import { pollSoon } from '../operators/operators.ts'
import { reindex } from '../polling/reindex.ts'
import { findAnywhere, needingAttention, operate } from '../routes/service.ts'
import { POLL } from '../schedule/schedule.ts'
import {
  AdminDepositList,
  Deposit,
  MissingDeposit,
  PaymentRoute,
  PaymentRouteId,
  Reindex,
  ReindexResult,
  Settlement,
  SyncResult,
} from '../schemas.ts'

const tag = 'Payment routes'

/** Operator operations on payment routes of any organisation. */
export const routesAdminRouter = {
  deposits: query({
    rest: 'GET /admin/ops/payment-routes/deposits',
    access: 'operator',
    tag,
    summary: 'List deposits that need attention',
    description:
      'Deposits of all organisations that are pending for longer than an hour, that failed without being returned, or whose refund came back to this service. At most 200, most recently changed first; `total` counts all of them.',
    message: 'Deposits retrieved',
    input: noInput,
    output: AdminDepositList,
    async run(context) {
      const { rows, total } = await needingAttention(context)
      const deposits = rows.map((row) => ({
        ...presentDeposit(row),
        organisationId: row.organisationId,
        environment: row.environment,
        providerReason: row.providerReason ?? null,
      }))
      return { deposits, total }
    },
  }),
  syncDeposits: operatorCommand({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/deposits/sync',
    tag,
    summary: 'Sync deposits of a payment route now',
    description:
      'Requests the full deposit history from the provider, including deposits that a merchant’s sync would not request again.',
    message: 'Deposits synced',
    input: PaymentRouteId,
    output: SyncResult,
    errors: [errors.payment_route_not_found, errors.provider_failed, errors.provider_unavailable],
    reason: 'optional',
    callsProvider: true,
    before: async (context, { paymentRouteId }) => syncNow(context, await findAnywhere(context, paymentRouteId), true),
    run: async (_unit, _input, { counts, route }) => ({ reply: counts, subject: route }),
  }),
  settleDeposit: operatorCommand({
    rest: 'POST /admin/ops/payment-routes/deposits/{depositId}/settle',
    tag,
    summary: 'Settle a deposit',
    description:
      'For deposits whose provider does not say so, contradicts itself, or sent the money back to this service: the states, events and entries are those of a report of the provider. Later reports that contradict are kept.',
    message: 'Deposit settled',
    input: Settlement,
    output: Deposit,
    errors: [errors.deposit_not_found, ledgerErrors.suspense_moved, commonErrors.second_operator_required],
    money: true,
    async run(unit, { depositId, ...input }) {
      const { before, deposit } = await settleDeposit(unit, depositId, input)
      return {
        reply: presentDeposit(deposit),
        subject: deposit,
        before: { status: before.status, origin: presentDeposit(before).origin },
        after: { status: deposit.status, origin: presentDeposit(deposit).origin },
      }
    },
  }),
  recordDeposit: operatorCommand({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/deposits/settle',
    tag,
    summary: 'Record a deposit that the provider does not report',
    description:
      'For money that the provider delivered or sent back without reporting the payer’s transaction: the deposit is created with it, with the states, events and entries of a report of the provider. One with the same transaction is that deposit.',
    message: 'Deposit settled',
    input: MissingDeposit,
    output: Deposit,
    errors: [
      errors.payment_route_not_found,
      errors.deposit_not_found,
      ledgerErrors.suspense_moved,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, { paymentRouteId, ...input }) {
      const { deposit } = await recordDeposit(unit, paymentRouteId, input)
      return { reply: presentDeposit(deposit), subject: deposit, after: { status: deposit.status } }
    },
  }),
  reindex: operatorCommand({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/reindex',
    tag,
    summary: 'Look for money in another currency or on another network',
    description:
      'The provider watches an address for its currency on its network alone. This makes it look for others once; what it finds is a deposit, delivered or refunded.',
    message: 'Address searched',
    input: Reindex,
    output: ReindexResult,
    errors: [errors.payment_route_not_found, errors.provider_failed, errors.provider_unavailable],
    callsProvider: true,
    before: async (context, { paymentRouteId, networkKey }) => {
      const route = await findAnywhere(context, paymentRouteId)
      return { route, found: await reindex(context, route, networkKey) }
    },
    async run(unit, _input, { route, found }) {
      await pollSoon(sqlOf(unit.em), [route.id])
      unit.afterCommit(() => unit.runtime.trigger(POLL))
      return { reply: { found }, subject: route }
    },
  }),
  pause: operatorCommand({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/pause',
    tag,
    summary: 'Pause a payment route',
    description: 'Deposits that still arrive are recorded.',
    message: 'Payment route paused',
    input: PaymentRouteId,
    output: PaymentRoute,
    errors: [errors.payment_route_not_found, errors.payment_route_paused],
    reason: 'optional',
    run: (unit, { paymentRouteId }) => operated(unit, paymentRouteId, 'pause'),
  }),
  resume: operatorCommand({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/resume',
    tag,
    summary: 'Resume a payment route',
    description: 'Makes a paused route active again.',
    message: 'Payment route resumed',
    input: PaymentRouteId,
    output: PaymentRoute,
    errors: [errors.payment_route_not_found, errors.payment_route_active],
    reason: 'optional',
    run: (unit, { paymentRouteId }) => operated(unit, paymentRouteId, 'resume'),
  }),
}

async function operated(unit: UnitOfWork, id: string, event: 'pause' | 'resume') {
  const { status } = await findAnywhere(unit, id)
  const route = await operate(unit, id, event)
  return { reply: presentRoute(route), subject: route, before: { status }, after: { status: route.status } }
}
