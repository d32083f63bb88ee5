import type { ChangeNotification } from '@payments/platform'

const resource = 'payment_route_deposit'

/** Notifications to an organisation: deposits that were delivered, were returned, or need attention. */
export const notifications: Readonly<Record<string, Readonly<Record<string, ChangeNotification>>>> = {
  'payment_route.deposit.updated': {
    completed: {
      resource,
      type: 'money.received',
      title: 'Money received',
      body: ({ entry }) => `${entry?.amount} arrived through a payment route.`,
    },
    refunded: {
      resource,
      type: 'money.returned',
      title: 'Money returned',
      body: ({ entry }) =>
        `A deposit of ${entry?.amount} to a payment route could not be delivered and was returned to its refund address.`,
    },
    failed: {
      resource,
      type: 'money.stranded',
      title: 'Money neither delivered nor returned',
      body: ({ entry, data }) =>
        data.failureReason === 'provider_blocked'
          ? `The provider holds a deposit of ${entry?.amount} to a payment route for a compliance review. Please contact support.`
          : `A deposit of ${entry?.amount} to a payment route is stuck with the provider. Please contact support.`,
    },
  },
}
