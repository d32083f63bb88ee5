import type { Outputs } from '@payments/client'
import { directionOf } from '@payments/kernel'

/** What a status of an object says to its merchant. Any other is said by its name. */
const STATUSES: Readonly<Record<string, string>> = {
  active: 'Ready to receive payments',
  awaiting_deposit: 'Waiting for the deposit',
  awaiting_payment: 'Waiting for the payer',
  cancelled: 'Cancelled',
  completed: 'Completed',
  deleted: 'Deleted',
  delivered: 'Delivered',
  expired: 'Expired',
  failed: 'Failed',
  inactive: 'Closed for payments',
  open: 'Waiting for payment',
  overdue: 'Overdue',
  paid: 'Paid in full',
  pending: 'Waiting',
  processing: 'Payment received, being confirmed',
  refunded: 'Refunded',
  returned: 'Refunded',
  settled: 'Settled',
  swapping: 'Being exchanged',
  underpaid: 'Paid in part',
  void: 'Withdrawn',
}

/** What was paid is neither delivered nor refunded. */
const ON_HOLD = 'Failed: the money is on hold'

/** What it says of transactions of a kind or a direction, where that is something else. */
const STATUSES_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payment_route: { pending: 'Payment received, being delivered', failed: ON_HOLD },
  collection: { failed: ON_HOLD },
  offramp: { pending: 'Waiting for the deposit', settled: 'Bank transfer sent' },
  in: { pending: 'Waiting for the payment' },
  out: { pending: 'Waiting to be sent', processing: 'Being sent' },
  exchange: { pending: 'Waiting for the deposit', processing: 'Deposit received, being exchanged' },
}

/** Statuses whose sentence has the amount. A refund may be of less. */
const WITH_AMOUNT = ['paid', 'completed', 'delivered', 'settled']

interface Entry {
  readonly kind: string
  readonly summary: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Whose timeline it is: of a transaction its kind and, where the page has one amount, that. */
interface Subject {
  readonly of?: string | undefined
  readonly amount?: string | undefined
}

/** What an entry of a timeline says to a merchant; undefined for one that only developers and operators need. */
export function sentenceOf({ kind, summary, details }: Entry, { of, amount }: Subject): string | undefined {
  if (kind === 'status') {
    const status = String(details.status ?? '')
    const said =
      (of && (STATUSES_OF[of]?.[status] ?? STATUSES_OF[directionOf(of)]?.[status])) ??
      STATUSES[status] ??
      status.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())
    if (details.previousStatus === status) return undefined
    return amount && WITH_AMOUNT.includes(status) ? `${said} · ${amount}` : said
  }
  if (kind === 'operator_action') return summary
  if (kind !== 'delivery_attempt') return undefined
  const answer = details.responseStatus
  if (typeof answer === 'number' && answer >= 200 && answer < 300) return undefined
  const why = typeof answer === 'number' ? `your server answered ${answer}` : String(details.error ?? 'no answer')
  return `Webhook ${String(details.eventType ?? '')} was not delivered: ${why} (attempt ${String(details.attempt ?? 1)})`
}

type Listed = Pick<Outputs['transactions']['search']['transactions'][number], 'status' | 'receipt'>

/** The status of a transaction as lists show it: money out that a second person must approve waits for that, and for nothing else. */
export const listedStatus = ({ status, receipt }: Listed): string =>
  status === 'pending' && receipt.approvalStatus === 'waiting' ? 'waiting_for_approval' : status
