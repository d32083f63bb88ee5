import { exactAmount, shownAmount } from '@payments/kernel'
import type { ChangeNotification } from '@payments/platform'

const resource = 'swap'

/** Notifications to an organisation: swaps that completed or failed, and deposits that were sent back. */
export const notifications: Readonly<Record<string, Readonly<Record<string, ChangeNotification>>>> = {
  'swap.updated': {
    completed: {
      resource,
      type: 'money.received',
      title: 'Money received',
      body: ({ entry, data }) =>
        `${shownAmount(entry)} were swapped into ${exactAmount(`${data.receivedAmount} ${data.toCurrency}`)}.`,
    },
    failed: {
      resource,
      type: 'swap.failed',
      title: 'Swap failed',
      body: ({ entry, data }) =>
        data.failureReason === 'price_moved'
          ? `The swap of ${shownAmount(entry)} failed, because the price moved below its minimum amount. The deposit is sent back.`
          : `The swap of ${shownAmount(entry)} failed. The deposit is sent back.`,
    },
    refunded: {
      resource,
      type: 'money.returned',
      title: 'Money returned',
      body: ({ entry, data }) =>
        `${exactAmount(`${data.depositedAmount} ${data.fromCurrency}`)} that were deposited for the swap of ${shownAmount(entry)} were sent back to its refund address.`,
    },
  },
}
