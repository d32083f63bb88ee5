import type { PaySession } from '@payments/pay-page'
import type { DeclaredNotification } from '@payments/platform'
import { sessionReading } from './payer/reading.ts'

/** A session whose time is over with a part of its amount. What payments change is told with them: see `notices.ts`. */
const incomplete: DeclaredNotification = ({ data, previousStatus }) =>
  data.type === 'session' && previousStatus === 'underpaid' && data.receivedAmount !== '0'
    ? {
        resource: 'checkout_session',
        type: 'money.received',
        title: 'Incomplete payment',
        body: () => readingOfEvent(data as unknown as PaySession & { readonly updatedAt: string }).merchant.text,
      }
    : undefined

/** What is said of a session when it ends, of which an event knows no more than its fields. */
const readingOfEvent = (session: PaySession & { readonly updatedAt: string }) =>
  sessionReading({
    session,
    linkStatus: 'open',
    suspended: false,
    payable: false,
    refundRequired: false,
    serverTime: session.updatedAt,
    merchant: { name: '' },
  })

export const notifications: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>> = {
  'collection.updated': { expired: incomplete },
}
