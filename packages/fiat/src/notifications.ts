import { type Change, shownAmount } from '@payments/kernel'
import type { DeclaredNotification } from '@payments/platform'
import { explained, offrampFailures, onrampFailures } from './failure-reasons.ts'

type Refund = { readonly status: string; readonly amount: string } | null | undefined

/** A failed order, and the outcome of its money: one notification for each change that a merchant has to know. */
const failed =
  (resource: 'offramp' | 'onramp', reasons: Parameters<typeof explained>[0]): DeclaredNotification =>
  (change) => {
    const refund = change.data.refund as Refund
    const amount = ({ entry }: Change) => shownAmount(entry)
    const returned = ({ entry, data }: Change) =>
      shownAmount(entry && { ...entry, amount: (data.refund as NonNullable<Refund>).amount })
    if (change.previousStatus !== 'failed')
      return {
        resource,
        type: `${resource === 'offramp' ? 'payout' : 'purchase'}.failed`,
        title: resource === 'offramp' ? 'Payout failed' : 'Purchase failed',
        body: (of) => `The ${resource} of ${amount(of)} failed. ${explained(reasons, of.data.failureReason)}`,
      }
    if (refund?.status === 'completed')
      return {
        resource,
        type: 'money.returned',
        title: 'Money returned',
        body: (of) => `${returned(of)} of the failed ${resource} of ${amount(of)} was sent back.`,
      }
    if (refund?.status === 'failed')
      return {
        resource,
        type: 'money.stranded',
        title: 'Money could not be returned',
        body: (of) =>
          `${returned(of)} of the failed ${resource} of ${amount(of)} could not be sent back. Please contact support.`,
      }
    return undefined
  }

/** Notifications to an organisation: money that was delivered, failed orders, and money on its way back. */
export const notifications: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>> = {
  'offramp.updated': {
    delivered: {
      resource: 'offramp',
      type: 'payout.delivered',
      title: 'Payout delivered',
      body: ({ entry }) => `The bank confirmed the payout of ${shownAmount(entry)} to ${entry?.destination}.`,
    },
    failed: failed('offramp', offrampFailures),
  },
  'onramp.updated': {
    delivered: {
      resource: 'onramp',
      type: 'money.received',
      title: 'Money received',
      body: ({ entry }) => `The purchase for ${shownAmount(entry)} was delivered: ${entry?.destination}.`,
    },
    failed: failed('onramp', onrampFailures),
  },
}
