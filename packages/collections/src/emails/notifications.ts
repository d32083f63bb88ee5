import type { Change } from '@payments/kernel'
import type { ChangeNotification, DeclaredNotification } from '@payments/platform'
import { wentTo } from '@payments/routes'

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

const otherCurrency: ChangeNotification = {
  resource,
  type: 'money.received',
  title: 'Payment in another currency',
  body: ({ data }) =>
    `A payment that was not ${data.currency} on the requested network was delivered. It does not count as paid.`,
}

const overpaid: ChangeNotification = {
  ...received,
  title: 'Overpayment received',
  body: ({ entry, data }) =>
    `A checkout session of ${data.amount} ${data.currency} received more: ${entry?.amount} in all.`,
}

const stranded: ChangeNotification = {
  resource,
  type: 'money.stranded',
  title: 'Payment neither delivered nor returned',
  body: ({ data }) =>
    data.failureReason === 'provider_blocked'
      ? `The provider holds a payment for ${data.amount} ${data.currency} for a compliance review. Please contact support.`
      : `A payment for ${data.amount} ${data.currency} is stuck with the provider. Please contact support.`,
}

/** The last payment to the session is stuck, whatever the session's status. */
const isStuck = ({ data }: Change): boolean =>
  (data.payments as readonly { readonly status: string }[]).at(-1)?.status === 'failed'

/** A change that leaves the status: `otherwise`, unless the payment is stuck. */
const withoutMove = (otherwise: ChangeNotification): DeclaredNotification =>
  ofSession((change) => (unchanged(change) ? (isStuck(change) ? stranded : otherwise) : undefined))

const withMove = (moved: ChangeNotification, otherwise: ChangeNotification): DeclaredNotification =>
  ofSession((change) => (!unchanged(change) ? moved : isStuck(change) ? stranded : otherwise))

/** What a merchant has to know of payments: received, sent back, stuck, too much, too late, too little, in another currency. */
export const notifications: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>> = {
  'collection.updated': {
    awaiting_payment: withoutMove(otherCurrency),
    processing: withoutMove(stranded),
    underpaid: ofSession((change) => (isStuck(change) ? stranded : unchanged(change) ? otherCurrency : undefined)),
    paid: withMove(received, overpaid),
    returned: withMove(
      {
        resource,
        type: 'money.returned',
        title: 'Payment returned',
        body: ({ data }) => `A payment for ${data.amount} ${data.currency} could not be accepted and ${wentTo(data)}`,
      },
      afterEnd,
    ),
    failed: withMove(stranded, afterEnd),
    expired: ofSession((change) => {
      if (unchanged(change)) return isStuck(change) ? stranded : afterEnd
      if (change.previousStatus !== 'underpaid') return undefined
      return {
        resource,
        type: 'money.received',
        title: 'Incomplete payment',
        body: ({ entry, data }) =>
          `A checkout session ended with ${entry?.amount} of ${data.amount} ${data.currency} paid. What was paid is delivered to you.`,
      }
    }),
    cancelled: withoutMove(afterEnd),
  },
}
