import { customerRefusals } from '@payments/customers'
import {
  AmountError,
  assetOf,
  assets,
  command,
  invalid,
  list,
  preparedCommand,
  query,
  sqlOf,
  toMinor,
} from '@payments/kernel'
import { z } from 'zod'
import { bookRest } from './booking.ts'
import { lookNow } from './deposits.ts'
import { presentDeposit, presentRoute, RouteEntity } from './entity.ts'
import { offered } from './offers.ts'
import { changeRefundAddresses, refundAddresses } from './refunds.ts'
import { no } from './refusals.ts'
import { routesSandbox } from './sandbox.ts'
import { POLL, SOON_SECONDS } from './schedule.ts'
import {
  CurrencyList,
  DepositList,
  NetworkList,
  NewPaymentRoute,
  PaymentRoute,
  PaymentRouteId,
  RefundAddressChange,
  RefundAddresses,
  SandboxDeposit,
  SandboxDepositResult,
  SyncResult,
} from './schemas.ts'
import { all, create, deposits, find, prepare, remove } from './service.ts'

const tag = 'Payment routes'
const Nothing = z.strictObject({})

export const routesRouter = {
  list: list({
    rest: 'GET /payment-routes',
    access: 'read',
    tag,
    summary: 'List payment routes',
    description: 'All payment routes of the organisation, newest first.',
    message: 'Payment routes retrieved',
    name: 'paymentRoutes',
    item: PaymentRoute,
    pages: all,
  }),
  create: preparedCommand({
    rest: 'POST /payment-routes',
    access: 'write',
    tag,
    summary: 'Create a payment route',
    message: 'Payment route created',
    status: 201,
    input: NewPaymentRoute,
    output: PaymentRoute,
    refusals: [
      no.payment_route_active,
      no.deposit_address_used,
      no.provider_failed,
      no.provider_unavailable,
      customerRefusals.customer_not_found,
    ],
    prepare,
    run: async (work, input, prepared) => presentRoute(await create(work, input, prepared)),
  }),
  networks: query({
    rest: 'GET /payment-routes/networks',
    access: 'read',
    tag,
    summary: 'List networks',
    message: 'Networks retrieved',
    description: 'The networks that can be paid in on or delivered on now, with their currencies.',
    input: Nothing,
    output: NetworkList,
    refusals: [no.provider_failed, no.provider_unavailable],
    async run(read) {
      const networks = await offered(read)
      return {
        networks: networks.map(({ key, name, type, currencies }) => ({ key, name, type, currencies: [...currencies] })),
        total: networks.length,
      }
    },
  }),
  currencies: query({
    rest: 'GET /payment-routes/networks/{networkKey}/currencies',
    access: 'read',
    tag,
    summary: 'List the currencies of a network',
    message: 'Currencies retrieved',
    input: z.strictObject({ networkKey: z.string() }),
    output: CurrencyList,
    refusals: [no.network_not_found, no.provider_failed, no.provider_unavailable],
    async run(read, { networkKey }) {
      const network = (await offered(read)).find(({ key }) => key === networkKey)
      if (!network) throw no.network_not_found()
      const currencies = network.currencies.map((symbol) => ({
        ...assets[symbol],
        origin: network.origins.includes(symbol),
        destination: network.destinations.includes(symbol),
      }))
      return { currencies, total: currencies.length }
    },
  }),
  refundAddresses: query({
    rest: 'GET /payment-routes/refund-addresses',
    access: 'read',
    tag,
    summary: 'Show the refund addresses',
    description:
      'Where deposits go back to that cannot be delivered, by kind of chain (`type` of a network), for routes made without an address of their own.',
    message: 'Refund addresses retrieved',
    input: Nothing,
    output: RefundAddresses,
    run: refundAddresses,
  }),
  changeRefundAddresses: command({
    rest: 'PATCH /payment-routes/refund-addresses',
    access: 'write',
    tag,
    summary: 'Change the refund addresses',
    description: 'Null removes one. Routes that exist keep the address they were made with.',
    message: 'Refund addresses changed',
    input: RefundAddressChange,
    output: RefundAddresses,
    run: changeRefundAddresses,
  }),
  deposits: query({
    rest: 'GET /payment-routes/deposits',
    access: 'read',
    tag,
    summary: 'List deposits',
    description: 'At most 200 deposits, the one that changed last first. `total` counts all.',
    message: 'Deposits retrieved',
    input: Nothing,
    output: DepositList,
    async run(read) {
      const { rows, total } = await deposits(read)
      return { deposits: rows.map(presentDeposit), total }
    },
  }),
  get: query({
    rest: 'GET /payment-routes/{paymentRouteId}',
    access: 'read',
    tag,
    summary: 'Get a payment route',
    message: 'Payment route retrieved',
    input: PaymentRouteId,
    output: PaymentRoute,
    refusals: [no.payment_route_not_found],
    run: async (read, { paymentRouteId }) => presentRoute(await find(read, paymentRouteId)),
  }),
  delete: command({
    rest: 'DELETE /payment-routes/{paymentRouteId}',
    access: 'write',
    tag,
    summary: 'Delete a payment route',
    description: 'Its history stays, and deposits that still arrive are recorded.',
    message: 'Payment route deleted',
    input: PaymentRouteId,
    output: PaymentRoute,
    refusals: [no.payment_route_not_found],
    run: async (work, { paymentRouteId }) => presentRoute(await remove(work, paymentRouteId)),
  }),
  syncDeposits: preparedCommand({
    rest: 'POST /payment-routes/{paymentRouteId}/deposits/sync',
    access: 'write',
    tag,
    summary: 'Look for deposits now',
    message: 'Deposits synced',
    input: PaymentRouteId,
    output: SyncResult,
    refusals: [no.payment_route_not_found, no.provider_failed, no.provider_unavailable],
    prepare: async (read, { paymentRouteId }) => lookNow(read, await find(read, paymentRouteId)),
    run: (work, _input, found) => bookRest(work, found),
  }),
}

export const routesSandboxRouter = {
  deposit: command({
    rest: 'POST /sandbox/payment-routes/{paymentRouteId}/deposits',
    access: 'sandbox',
    tag: 'Sandbox',
    summary: 'Simulate a deposit to a payment route',
    description:
      'It settles after 2 s. With an amount that ends in `.13` the provider times out on this route for 30 s; then the deposit has settled.',
    message: 'Deposit simulated',
    status: 201,
    input: SandboxDeposit,
    output: SandboxDepositResult,
    refusals: [no.payment_route_not_found],
    async run(work, { paymentRouteId, amount, outcome }) {
      const route = await find(work, paymentRouteId)
      const provider = work.runtime.providers.get(routesSandbox, 'test')
      const { requestId } = await provider.simulateDeposit(sqlOf(work.em), {
        depositAddress: route.depositAddress,
        amount: minor(amount, route.originCurrency),
        currency: route.originCurrency,
        outcome,
      })
      await work.em.nativeUpdate(RouteEntity, { id: route.id }, { nextPollAt: new Date(), pollSeconds: SOON_SECONDS })
      work.afterCommit(() => work.runtime.wake(POLL))
      return { relayRequestId: requestId, paymentRouteId: route.id, amount, outcome }
    },
  }),
}

function minor(amount: string, symbol: string): bigint {
  const asset = assetOf(symbol)
  if (!asset) throw new Error(`No asset ${symbol}`)
  try {
    return toMinor(amount, asset)
  } catch (error) {
    if (error instanceof AmountError) throw invalid({ amount: error.message })
    throw error
  }
}
