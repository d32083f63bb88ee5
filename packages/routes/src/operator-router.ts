import { actingFor, command, preparedCommand, query } from '@payments/kernel'
import { z } from 'zod'
import { bookRest } from './booking.ts'
import { lookNow } from './deposits.ts'
import { presentDeposit, presentRoute } from './entity.ts'
import { no } from './refusals.ts'
import { OperatedDepositList, PaymentRoute, PaymentRouteId, SyncResult } from './schemas.ts'
import { findAnywhere, operate, troubled } from './service.ts'

const tag = 'Operations'

/** What operators do with payment routes, of whatever organisation. */
export const routesOperatorRouter = {
  deposits: query({
    rest: 'GET /admin/ops/payment-routes/deposits',
    access: 'operator',
    tag,
    summary: 'List deposits that need somebody',
    description:
      'Of all organisations: on their way for longer than an hour, or neither delivered nor sent back. At most 200, the one that changed last first; `total` counts all.',
    message: 'Deposits retrieved',
    input: z.strictObject({}),
    output: OperatedDepositList,
    async run(read) {
      const { rows, total } = await troubled(read)
      const deposits = rows.map((row) => ({
        ...presentDeposit(row),
        organisationId: row.organisationId,
        environment: row.environment,
      }))
      return { deposits, total }
    },
  }),
  syncDeposits: preparedCommand({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/deposits/sync',
    access: 'operator',
    tag,
    summary: 'Look for deposits of a payment route now',
    description:
      'Asks the provider for every deposit there ever was, also for those that a merchant’s look would not ask for again.',
    message: 'Deposits synced',
    input: PaymentRouteId,
    output: SyncResult,
    refusals: [no.payment_route_not_found, no.provider_failed, no.provider_unavailable],
    prepare: async (read, { paymentRouteId }) => lookNow(read, await findAnywhere(read, paymentRouteId), true),
    run: (work, _input, found) => bookRest(actingFor(work, found.route), found),
  }),
  pause: command({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/pause',
    access: 'operator',
    tag,
    summary: 'Pause a payment route',
    description: 'Deposits that arrive all the same are recorded.',
    message: 'Payment route paused',
    input: PaymentRouteId,
    output: PaymentRoute,
    refusals: [no.payment_route_not_found, no.payment_route_paused],
    run: async (work, { paymentRouteId }) => presentRoute(await operate(work, paymentRouteId, 'pause')),
  }),
  resume: command({
    rest: 'POST /admin/ops/payment-routes/{paymentRouteId}/resume',
    access: 'operator',
    tag,
    summary: 'Resume a payment route',
    message: 'Payment route resumed',
    input: PaymentRouteId,
    output: PaymentRoute,
    refusals: [no.payment_route_not_found, no.payment_route_active],
    run: async (work, { paymentRouteId }) => presentRoute(await operate(work, paymentRouteId, 'resume')),
  }),
}
