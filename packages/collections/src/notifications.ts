import type { Change } from '@payments/kernel'
import type { ChangeNotification, DeclaredNotification } from '@payments/platform'

const resource = 'checkout_session'
const isSession = ({ data }: Change): boolean => data.type === 'session'
const unchanged = ({ status, previousStatus }: Change): boolean => status === previousStatus

/** A notification of a session. Its link, invoice or checkout has none of its own: the session's says it. */
const ofSession =
  (choose: (change: Change) => ChangeNotification | undefined): DeclaredNotification =>
  (change) =>
    isSession(change) ? choose(change) : undefined

const received: ChangeNotification = {
  resource,
  type: 'money.received',
  title: 'Payment received',
  body: ({ entry }) => `A payment of ${entry?.amount} was received.`,
}

const afterEnd: ChangeNotification = {
  resource,
  type: 'money.received',
  title: 'Payment after the end of a session',
  body: ({ entry }) =>
    `A payment arrived at a checkout session that had ended. It does not count as paid. Received in all: ${entry?.amount}.`,
}

/** What a merchant has to know of payments: received, sent back, stuck, too much, too late, too little. */
export const notifications: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>> = {
  'collection.updated': {
    paid: ofSession((change) =>
      unchanged(change)
        ? {
            ...received,
            title: 'Overpayment received',
            body: ({ entry, data }) =>
              `A checkout session of ${data.amount} ${data.currency} received more: ${entry?.amount} in all.`,
          }
        : received,
    ),
    returned: ofSession((change) =>
      unchanged(change)
        ? afterEnd
        : {
            resource,
            type: 'money.returned',
            title: 'Payment returned',
            body: ({ data }) =>
              `A payment for ${data.amount} ${data.currency} could not be accepted and was sent back to the payer.`,
          },
    ),
    failed: ofSession((change) =>
      unchanged(change)
        ? afterEnd
        : {
            resource,
            type: 'money.stranded',
            title: 'Payment neither delivered nor returned',
            body: ({ data }) =>
              data.failureReason === 'provider_blocked'
                ? `The provider holds a payment for ${data.amount} ${data.currency} for a compliance review. Please contact support.`
                : `A payment for ${data.amount} ${data.currency} is stuck with the provider. Please contact support.`,
          },
    ),
    expired: ofSession((change) => {
      if (unchanged(change)) return afterEnd
      if (change.previousStatus !== 'underpaid') return undefined
      return {
        resource,
        type: 'money.received',
        title: 'Incomplete payment',
        body: ({ entry, data }) =>
          `A checkout session ended with ${entry?.amount} of ${data.amount} ${data.currency} paid. What was paid is delivered to you.`,
      }
    }),
    cancelled: ofSession((change) => (unchanged(change) ? afterEnd : undefined)),
  },
}
