import { assetNamed, assets, errors as commonErrors, noInput, requestedAmount, toDecimal } from '@payments/kernel'
import { command, completeList, download, exportCsv, exportInput, NEWEST, query, sqlOf } from '@payments/platform'
import { syncNow } from '../deposits/deposits.ts'
import { presentDeposit, presentRoute } from '../entity.ts'
import { errors } from '../errors.ts'
import { routesProvider } from '../provider/provider.ts'
import { changeRefundAddresses, refundAddresses } from '../refunds/refund-addresses.ts'
import { createRoute, prepareRoute } from '../routes/creation.ts'
import { availableNetworks } from '../routes/networks.ts'
import { all, change, deposits, find, findDeposit, remove } from '../routes/service.ts'
import { pollNow } from '../schedule/schedule.ts'
import {
  CurrencyList,
  Deposit,
  DepositId,
  DepositList,
  NetworkKeyInput,
  NetworkList,
  NewPaymentRoute,
  PaymentRoute,
  PaymentRouteId,
  PaymentRoutePatch,
  RefundAddressChange,
  RefundAddresses,
  SandboxDeposit,
  SandboxDepositResult,
  SyncResult,
} from '../schemas.ts'
import { depositsExport } from './export.ts'
import { DepositPage, DepositSearch, RoutePage, RouteSearch, searchDeposits, searchRoutes } from './search.ts'

const tag = 'Payment routes'

export const routesRouter = {
  list: completeList({
    rest: 'GET /payment-routes',
    access: 'read',
    tag,
    summary: 'List payment routes',
    description: 'All payment routes of the organisation, newest first.',
    message: 'Payment routes retrieved',
    name: 'paymentRoutes',
    item: PaymentRoute,
    rows: all,
    async newest(context) {
      const { rows, total } = await searchRoutes(context, { limit: NEWEST })
      return { rows: rows.map(presentRoute), total }
    },
  }),
  search: query({
    rest: 'POST /payment-routes/search',
    access: 'read',
    tag,
    summary: 'Search payment routes',
    description: 'The payment routes that fit all filters, newest first, in pages, and their exact number.',
    message: 'Payment routes retrieved',
    input: RouteSearch,
    output: RoutePage,
    async run(context, input) {
      const { rows, ...page } = await searchRoutes(context, input)
      return { paymentRoutes: rows.map(presentRoute), ...page }
    },
  }),
  create: command({
    rest: 'POST /payment-routes',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Create a payment route',
    description:
      'Gives a deposit address on the origin network. Every deposit there is delivered to the destination address, less the provider’s fees.',
    message: 'Payment route created',
    status: 201,
    input: NewPaymentRoute,
    output: PaymentRoute,
    errors: [
      errors.payment_route_active,
      errors.deposit_address_used,
      errors.provider_failed,
      errors.provider_unavailable,
    ],
    callsProvider: true,
    before: prepareRoute,
    run: async (unit, input, prepared) => presentRoute(createRoute(unit, input, prepared)),
  }),
  networks: query({
    rest: 'GET /payment-routes/networks',
    access: 'read',
    tag,
    summary: 'List networks',
    message: 'Networks retrieved',
    description: 'The networks that are available as origin or destination now, with their currencies.',
    input: noInput,
    output: NetworkList,
    errors: [errors.provider_failed, errors.provider_unavailable],
    async run(context) {
      const networks = await availableNetworks(context)
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
    description: 'With what can be deposited and delivered on the network now.',
    message: 'Currencies retrieved',
    input: NetworkKeyInput,
    output: CurrencyList,
    errors: [errors.network_not_found, errors.provider_failed, errors.provider_unavailable],
    async run(context, { networkKey }) {
      const network = (await availableNetworks(context)).find(({ key }) => key === networkKey)
      if (!network) throw errors.network_not_found()
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
    summary: 'Get the refund addresses',
    description:
      'Refund addresses for deposits that cannot be delivered, by kind of network, for routes created without an address of their own.',
    message: 'Refund addresses retrieved',
    input: noInput,
    output: RefundAddresses,
    run: refundAddresses,
  }),
  changeRefundAddresses: command({
    rest: 'PATCH /payment-routes/refund-addresses',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Update the refund addresses',
    description:
      'Null removes an address. Existing routes keep the address they were created with. In the live environment, only an owner with a confirmed session (`POST /auth/confirm`) may change them.',
    message: 'Refund addresses changed',
    input: RefundAddressChange,
    output: RefundAddresses,
    errors: [commonErrors.session_required, commonErrors.owner_required, commonErrors.confirmation_required],
    run: changeRefundAddresses,
  }),
  deposits: query({
    rest: 'GET /payment-routes/deposits',
    access: 'read',
    tag,
    summary: 'List deposits',
    description: 'At most 200 deposits, most recently changed first. `total` counts all of them.',
    message: 'Deposits retrieved',
    input: noInput,
    output: DepositList,
    async run(context) {
      const { rows, total } = await deposits(context)
      return { deposits: rows.map(presentDeposit), total }
    },
  }),
  deposit: query({
    rest: 'GET /payment-routes/deposits/{depositId}',
    access: 'read',
    tag,
    summary: 'Get a deposit',
    description: 'The deposit as the list shows it, also beyond the newest 200.',
    message: 'Deposit retrieved',
    input: DepositId,
    output: Deposit,
    errors: [errors.deposit_not_found],
    run: async (context, { depositId }) => presentDeposit(await findDeposit(context, depositId)),
  }),
  exportDeposits: download({
    rest: 'GET /payment-routes/deposits/export',
    access: 'read',
    tag,
    summary: 'Export deposits as CSV',
    description: 'All deposits of a time range, most recently changed first, from one snapshot.',
    message: 'Deposits exported',
    input: exportInput('Changed'),
    produces: 'csv',
    filename: () => 'deposits.csv',
    stream: (context, input, signal) => exportCsv(context, depositsExport, input, signal),
  }),
  depositsOfRoute: query({
    rest: 'GET /payment-routes/{paymentRouteId}/deposits',
    access: 'read',
    tag,
    summary: 'List the deposits of a payment route',
    description: 'At most 200 deposits, most recently changed first. `total` counts all deposits of the route.',
    message: 'Deposits retrieved',
    input: PaymentRouteId,
    output: DepositList,
    errors: [errors.payment_route_not_found],
    async run(context, { paymentRouteId }) {
      const { rows, total } = await deposits(context, await find(context, paymentRouteId))
      return { deposits: rows.map(presentDeposit), total }
    },
  }),
  searchDeposits: query({
    rest: 'POST /payment-routes/{paymentRouteId}/deposits/search',
    access: 'read',
    tag,
    summary: 'Search the deposits of a payment route',
    description: 'The deposits of the route that fit all filters, newest first, in pages, and their exact number.',
    message: 'Deposits retrieved',
    input: DepositSearch,
    output: DepositPage,
    errors: [errors.payment_route_not_found],
    async run(context, input) {
      await find(context, input.paymentRouteId)
      const { rows, ...page } = await searchDeposits(context, input)
      return { deposits: rows.map(presentDeposit), ...page }
    },
  }),
  update: command({
    rest: 'PATCH /payment-routes/{paymentRouteId}',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Update a payment route',
    description: 'Changes the name or the metadata. No event is sent, because no status changes.',
    message: 'Payment route updated',
    input: PaymentRoutePatch,
    output: PaymentRoute,
    errors: [errors.payment_route_not_found],
    run: async (unit, input) => presentRoute(await change(unit, input)),
  }),
  get: query({
    rest: 'GET /payment-routes/{paymentRouteId}',
    access: 'read',
    tag,
    summary: 'Get a payment route',
    description: 'Deleted routes too, because their deposits still refer to them.',
    message: 'Payment route retrieved',
    input: PaymentRouteId,
    output: PaymentRoute,
    errors: [errors.payment_route_not_found],
    run: async (context, { paymentRouteId }) => presentRoute(await find(context, paymentRouteId)),
  }),
  delete: command({
    rest: 'DELETE /payment-routes/{paymentRouteId}',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Delete a payment route',
    description: 'Its history stays, and deposits that still arrive are recorded.',
    message: 'Payment route deleted',
    input: PaymentRouteId,
    output: PaymentRoute,
    errors: [errors.payment_route_not_found],
    run: async (unit, { paymentRouteId }) => presentRoute(await remove(unit, paymentRouteId)),
  }),
  syncDeposits: command({
    rest: 'POST /payment-routes/{paymentRouteId}/deposits/sync',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Sync deposits now',
    description:
      'Asks the provider at once instead of waiting for the next poll, which happens by itself. Limited for each route and organisation. A report that cannot be applied is kept for the operators of the service, and the others are applied.',
    message: 'Deposits synced',
    input: PaymentRouteId,
    output: SyncResult,
    errors: [errors.payment_route_not_found, errors.sync_limited, errors.provider_failed, errors.provider_unavailable],
    callsProvider: true,
    before: async (context, { paymentRouteId }) => syncNow(context, await find(context, paymentRouteId)),
    run: async (_unit, _input, { counts }) => counts,
  }),
}

export const routesSandboxRouter = {
  deposit: command({
    rest: 'POST /sandbox/payment-routes/{paymentRouteId}/deposits',
    access: 'sandbox',
    role: 'finance-or-developer',
    tag: 'Sandbox',
    summary: 'Simulate a deposit to a payment route',
    description:
      'It settles after 2 s. With an amount that ends in `.13` the provider times out on this route for 30 s; then the deposit has settled.',
    message: 'Deposit simulated',
    status: 201,
    input: SandboxDeposit,
    output: SandboxDepositResult,
    errors: [errors.payment_route_not_found],
    async run(unit, { paymentRouteId, amount, outcome }) {
      const route = await find(unit, paymentRouteId)
      const provider = unit.runtime.providers.sandbox(routesProvider)
      const asset = assetNamed(route.originCurrency)
      const units = requestedAmount(amount, asset)
      const { requestId } = await provider.simulateDeposit(sqlOf(unit.em), {
        depositAddress: route.depositAddress,
        amount: units,
        networkKey: route.originChainKey,
        currency: route.originCurrency,
        outcome,
      })
      await pollNow(unit, route.id)
      return { relayRequestId: requestId, paymentRouteId: route.id, amount: toDecimal(units, asset), outcome }
    },
  }),
}
