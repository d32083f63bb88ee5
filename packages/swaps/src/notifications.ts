import { amountText } from '@payments/kernel'
import type { ChangeNotification } from '@payments/platform'

const resource = 'swap'

/** Notifications to an organisation: swaps that completed or failed, and deposits that were sent back. */
export const notifications: Readonly<Record<string, Readonly<Record<string, ChangeNotification>>>> = {
  'swap.updated': {
    completed: {
      resource,
      type: 'money.received',
      title: 'Money received',
      body: ({ entry, data }) => `${amountText(entry)} were swapped into ${data.receivedAmount} ${data.toCurrency}.`,
    },
    failed: {
      resource,
      type: 'swap.failed',
      title: 'Swap failed',
      body: ({ entry, data }) =>
        data.failureReason === 'price_moved'
          ? `The swap of ${amountText(entry)} failed, because the price moved below its minimum amount. The deposit is sent back.`
          : `The swap of ${amountText(entry)} failed. The deposit is sent back.`,
    },
    refunded: {
      resource,
      type: 'money.returned',
      title: 'Money returned',
      body: ({ entry, data }) =>
        `${data.depositedAmount} ${data.fromCurrency} that were deposited for the swap of ${amountText(entry)} were sent back to its refund address.`,
    },
  },
}
