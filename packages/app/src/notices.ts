import type { LedgerEntry, Recorder } from '@payments/kernel'
import { notify } from '@payments/notifications'

interface Notice {
  readonly type: string
  readonly title: string
  readonly resource: string
  body(entry: LedgerEntry): string
}

const deposit = { resource: 'payment_route_deposit' }

/** Changes that people are told of, by event type and status. What somebody has to look after says so. */
const NOTICES: Readonly<Record<string, Readonly<Record<string, Notice>>>> = {
  'payment_route.deposit.updated': {
    completed: {
      ...deposit,
      type: 'money.received',
      title: 'Money received',
      body: ({ amount }) => `${amount} arrived through a payment route.`,
    },
    refunded: {
      ...deposit,
      type: 'money.returned',
      title: 'Money sent back',
      body: ({ amount }) => `${amount} came to a payment route, could not be delivered and went to its refund address.`,
    },
    failed: {
      ...deposit,
      type: 'money.stranded',
      title: 'Money neither delivered nor sent back',
      body: ({ amount }) => `${amount} came to a payment route and is stuck with the provider. Please contact support.`,
    },
  },
}

/** The recorder that tells an organisation what became of its money. */
export const moneyRecorder: Recorder = (work, change) => {
  const notice = NOTICES[change.type]?.[change.status]
  if (!notice || !change.entry) return
  notify(work, {
    organisationId: change.organisationId,
    environment: change.environment,
    type: notice.type,
    title: notice.title,
    body: notice.body(change.entry),
    resource: { type: notice.resource, id: change.resourceId },
  })
}
