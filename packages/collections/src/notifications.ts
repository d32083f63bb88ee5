import { amountText } from '@payments/kernel'
import type { DeclaredNotification } from '@payments/platform'

/** A session whose time is over with a part of its amount. What payments change is told with them: see `notices.ts`. */
const incomplete: DeclaredNotification = ({ data, previousStatus, entry }) =>
  data.type === 'session' && previousStatus === 'underpaid' && data.receivedAmount !== '0'
    ? {
        resource: 'checkout_session',
        type: 'money.received',
        title: 'Incomplete payment',
        body: () =>
          `A checkout session ended with ${amountText(entry)} of ${data.amount} ${data.currency} paid. What was paid is delivered to you.`,
      }
    : undefined

export const notifications: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>> = {
  'collection.updated': { expired: incomplete },
}
