import type { Recorder } from '@payments/kernel'
import { notify } from '@payments/notifications'

/** Changes that mean money has arrived, and what to call them. */
const RECEIVED: Readonly<Record<string, { readonly status: string; readonly resource: string; readonly by: string }>> =
  {
    'payment_route.deposit.updated': { status: 'completed', resource: 'payment_route_deposit', by: 'a payment route' },
  }

/** The recorder that tells an organisation of money received. */
export const moneyRecorder: Recorder = (work, change) => {
  const row = RECEIVED[change.type]
  if (!row || change.status !== row.status || !change.entry) return
  notify(work, {
    organisationId: change.organisationId,
    environment: change.environment,
    type: 'money.received',
    title: 'Money received',
    body: `${change.entry.amount} arrived through ${row.by}.`,
    resource: { type: row.resource, id: change.resourceId },
  })
}
