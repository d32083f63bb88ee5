import { shownAmount } from '@payments/kernel'
import type { DeclaredNotification } from '@payments/platform'
import { explained, failures } from './failure-reasons.ts'
import { goesOut, type Kind } from './kinds/kinds.ts'

const currencyOf = (data: Record<string, unknown>) => data.fromCurrency as string | undefined

/** Money that arrived, in the balance or at its destination. */
const completed =
  (kind: Kind): DeclaredNotification =>
  ({ data }) =>
    goesOut(kind, currencyOf(data))
      ? {
          resource: `cngn_${kind}`,
          type: 'payout.delivered',
          title: 'cNGN delivered',
          body: ({ entry }) => `The ${kind} of ${shownAmount(entry)} was delivered: ${entry?.destination}.`,
        }
      : data.relatedPayinId
        ? {
            resource: `cngn_${kind}`,
            type: 'money.received',
            title: 'Another transfer for a payin',
            body: ({ entry }) =>
              `${shownAmount(entry)} arrived on the account of a payin that was already paid or had ended. It is in the customer's balance. If it was not meant to be paid, pay it back from there.`,
          }
        : {
            resource: `cngn_${kind}`,
            type: 'money.received',
            title: 'Money received',
            body: ({ entry }) => `A ${kind} of ${shownAmount(entry)} arrived in the balance of a customer.`,
          }

/** An object that failed; one that was not paid in time is not notified. */
const failed =
  (kind: Kind): DeclaredNotification =>
  ({ data }) =>
    data.failureReason === 'expired'
      ? undefined
      : {
          resource: `cngn_${kind}`,
          type: 'payout.failed',
          title: `cNGN ${kind} failed`,
          body: (of) =>
            `The ${kind} of ${shownAmount(of.entry)} failed. ${explained(failures[kind], of.data.failureReason)}`,
        }

/** Money out that waits for a second person. Those who may answer get an email of its own. */
const waiting =
  (kind: Kind): DeclaredNotification =>
  ({ data }) =>
    (data.approval as { status: string } | null)?.status === 'waiting'
      ? {
          resource: `cngn_${kind}`,
          type: 'payout.approval',
          title: 'Payout waiting for approval',
          body: ({ entry }) =>
            `A ${kind} of ${shownAmount(entry)} to ${entry?.destination} waits until an owner or finance member approves it. Nothing is sent before. Without an answer in 72 hours it fails.`,
        }
      : undefined

const of = (kind: Kind) => ({ completed: completed(kind), failed: failed(kind) })

export const notificationTypes = {
  'payout.approval': {
    description: 'A payout waits for a second person; owners and finance members are emailed about it in any case',
    email: false,
  },
} as const

export const notifications: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>> = {
  'cngn.convert.created': { pending: waiting('convert') },
  'cngn.withdrawal.created': { pending: waiting('withdrawal') },
  'cngn.payout.created': { pending: waiting('payout') },
  'cngn.convert.updated': of('convert'),
  'cngn.withdrawal.updated': of('withdrawal'),
  'cngn.payout.updated': of('payout'),
  'cngn.payin.updated': of('payin'),
  'cngn.deposit.updated': of('deposit'),
}
