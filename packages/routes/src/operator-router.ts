import { command } from '@payments/kernel'
import { presentRoute } from './entity.ts'
import { no } from './refusals.ts'
import { PaymentRoute, PaymentRouteId } from './schemas.ts'
import { operate } from './service.ts'

const tag = 'Operations'

/** What operators do with payment routes, of whatever organisation. */
export const routesOperatorRouter = {
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
