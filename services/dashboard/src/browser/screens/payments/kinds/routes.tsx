import type { Outputs } from '@payments/client'
import { Link } from 'wouter'
import { networkName, words } from '../../../parts/format.ts'
import { titleOf } from '../../../parts/object/fields.ts'
import { Amount, Copyable } from '../../../parts/parts.tsx'
import { RouteForm } from '../forms/route-form.tsx'
import type { Kind } from '../kind.ts'
import { Deposits, RouteList, wayOf } from '../route-lists.tsx'

type PaymentRoute = Outputs['paymentRoutes']['get']
type Deposit = Outputs['paymentRoutes']['deposit']

const EXAMPLE_DEPOSIT = '25'

export const paymentRoutes: Kind<PaymentRoute> = {
  path: '/routes',
  needs: 'routes',
  title: 'Payment routes',
  one: 'payment route',
  teaches:
    'A payment route is an address on one network whose deposits are delivered to your wallet on another, as often as it is paid.',
  rest: '/v1/payment-routes',
  read: (api, paymentRouteId) => api.paymentRoutes.get.query({ paymentRouteId }),
  summary: (of) => ({
    id: of.id,
    name: of.name,
    status: of.status,
    to: wayOf(of),
    createdAt: of.createdAt,
  }),
  states: { active: 'beside', paused: 'beside', deleted: 'beside' },
  instruction: (of) =>
    of.status === 'active'
      ? {
          text: `Payers send ${of.originCurrency} on ${networkName(of.originChainKey)}`,
          to: of.depositAddress,
          code: true,
        }
      : undefined,
  facts: (of) => [
    ['Wallet', <code key="wallet">{of.destinationAddress}</code>],
    [titleOf('refundAddress'), <code key="refund">{of.refundAddress}</code>],
  ],
  simulate: {
    label: `Send ${EXAMPLE_DEPOSIT} in the sandbox`,
    when: ({ status }) => status === 'active',
    calls: 'sandbox.paymentRoutes.deposit',
    run: (api, { id }) => api.sandbox.paymentRoutes.deposit.mutate({ paymentRouteId: id, amount: EXAMPLE_DEPOSIT }),
  },
  cancel: {
    label: 'Delete the route',
    question: 'Nobody should pay to its address any more. Deposits that still arrive are recorded.',
    when: ({ status }) => status !== 'deleted',
    calls: 'paymentRoutes.delete',
    run: (api, { id }) => api.paymentRoutes.delete.mutate({ paymentRouteId: id }),
  },
  List: RouteList,
  create: { calls: 'paymentRoutes.create', Form: RouteForm },
  Parts: Deposits,
}

/** A deposit has no list of its own: its route shows it. */
export const deposits: Kind<Deposit> = {
  path: '/objects',
  needs: 'routes',
  title: 'transactions',
  one: 'deposit',
  teaches: '',
  rest: '/v1/payment-routes/deposits',
  transactions: { kind: 'payment_route', assets: [] },
  read: (api, depositId) => api.paymentRoutes.deposit.query({ depositId }),
  summary: (of) => ({
    id: of.id,
    amount: `${of.origin.amount ?? '?'} ${of.origin.symbol}`,
    status: of.status,
    to: `${of.destination.symbol} on ${networkName(of.destination.network)} to ${of.destination.address}`,
    createdAt: of.createdAt,
  }),
  states: { pending: 'step', completed: 'step', failed: 'beside', refunded: 'beside' },
  facts: (of) => [
    ['Delivered', of.destination.amount && <Amount of={`${of.destination.amount} ${of.destination.symbol}`} />],
    ['Transaction of the payer', of.depositTxHash && <Copyable text={of.depositTxHash} label="Copy the hash" />],
    [titleOf('failureReason'), of.failureReason && words(of.failureReason)],
    [titleOf('refundTo'), of.refundTo && <Copyable text={of.refundTo.address} label="Copy the address" />],
    [
      'Route',
      <Link key="route" href={`/routes/${of.paymentRouteId}`}>
        {of.paymentRouteId}
      </Link>,
    ],
  ],
}
