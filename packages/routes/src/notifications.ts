import { exactAmount, shownAmount } from '@payments/kernel'
import type { DeclaredNotification } from '@payments/platform'
import type { RefundTo } from './refund-owners.ts'

const resource = 'payment_route_deposit'

/** Where a refund went: the address that was really used, and whose it is. */
export function wentTo({ refundTo }: Readonly<Record<string, unknown>>): string {
  const { address, owner } = (refundTo ?? {}) as Partial<RefundTo>
  if (owner === 'service') return `came back to us, at ${address}. We send it on; you do not have to do anything.`
  if (owner === 'payer') return `was sent back to the payer’s address ${address}.`
  return `was returned to your refund address${address ? ` ${address}` : ''}.`
}

/** What was sent, where that is known: a deposit that an operator says was not received has no amount any more. */
function sentText({ origin }: Readonly<Record<string, unknown>>): string {
  const { amount, symbol } = (origin ?? {}) as { amount?: string | null; symbol?: string }
  return amount && amount !== '0' ? ` of ${exactAmount(`${amount} ${symbol}`)}` : ''
}

const RECORDED: Readonly<Record<string, string>> = {
  completed: 'delivered',
  refunded: 'sent back',
  failed: 'not delivered',
}

/** What an operator has changed is told as that; a change of nothing that a merchant sees, not at all. */
const told =
  (otherwise: DeclaredNotification): DeclaredNotification =>
  (change) => {
    const { status, previousStatus, data } = change
    if (change.correction)
      return {
        resource,
        type: 'money.corrected',
        title: 'Deposit corrected',
        body: ({ entry }) =>
          previousStatus === status
            ? `A deposit to a payment route is now recorded with other amounts: ${shownAmount(entry)} received.`
            : `A deposit of ${shownAmount(entry)} to a payment route is now recorded as ${RECORDED[status]}; it was recorded as ${RECORDED[previousStatus ?? ''] ?? previousStatus}.`,
      }
    if (previousStatus !== status) return typeof otherwise === 'function' ? otherwise(change) : otherwise
    const { symbol } = (data.origin ?? {}) as { symbol?: string }
    return status === 'refunded'
      ? {
          resource,
          type: 'money.returned',
          title: 'Refund passed on',
          body: ({ entry }) =>
            `${data.refundedAmount ? exactAmount(`${data.refundedAmount} ${symbol}`) : shownAmount(entry)} of a deposit to a payment route that had come back to this service was passed on to you or the payer.`,
        }
      : undefined
  }

/** Notifications to an organisation: deposits that were delivered, were returned, or need attention. */
export const notifications: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>> = {
  'payment_route.deposit.updated': {
    completed: told({
      resource,
      type: 'money.received',
      title: 'Money received',
      body: ({ entry }) => `${shownAmount(entry)} arrived through a payment route.`,
    }),
    refunded: told({
      resource,
      type: 'money.returned',
      title: 'Money returned',
      body: ({ entry, data }) =>
        `A deposit of ${shownAmount(entry)} to a payment route could not be delivered and ${wentTo(data)}`,
    }),
    failed: told(({ data }) =>
      data.failureReason === 'deposit_not_confirmed'
        ? {
            resource,
            type: 'money.stranded',
            title: 'Deposit not confirmed',
            body: () =>
              `A deposit${sentText(data)} to a payment route was not confirmed by its network, so nothing was received.`,
          }
        : {
            resource,
            type: 'money.stranded',
            title: 'Deposit on hold',
            body: ({ entry }) =>
              data.failureReason === 'provider_blocked'
                ? `A deposit of ${shownAmount(entry)} to a payment route is on hold at the provider for a compliance check. We are working on it; you do not have to do anything.`
                : `A deposit of ${shownAmount(entry)} to a payment route is on hold at the provider. We are working on it; you do not have to do anything.`,
          },
    ),
  },
}
