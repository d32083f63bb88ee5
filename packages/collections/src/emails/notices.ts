import { merchantProfile, plainName } from '@payments/accounts'
import { assetOf } from '@payments/kernel'
import { notify } from '@payments/notifications'
import type { UnitOfWork } from '@payments/platform'
import type { CollectionRow, SessionRow } from '../entity.ts'
import { moneyData } from '../payer/payer.ts'
import { sessionReading } from '../payer/reading.ts'
import type { PaymentChange } from '../payments/arrivals.ts'
import { bringsAmounts, isCorrection, isShort } from '../payments/outcome.ts'
import { decimalOrZero, invoiceNumberText } from '../present.ts'
import type { StoredPayment } from '../terms/rows.ts'

/** A session before and after a change, and the payments that changed it. */
interface Changed {
  readonly before: SessionRow
  readonly after: SessionRow
  readonly changes: readonly PaymentChange[]
}

interface Notice {
  readonly type: string
  readonly title: string
  readonly body: string
}

/** What was sent, as it was known last: what an operator says was not received has no amount of its own any more. */
function sent({ before, after }: PaymentChange): string {
  const { currency } = after
  const amount = after.amount === '0' && before ? before.amount : after.amount
  return assetOf(currency) && amount !== '0'
    ? `${decimalOrZero(BigInt(amount), currency)} ${currency}`
    : `an unknown amount of ${plainName(currency)}`
}

const RECORDED: Readonly<Record<StoredPayment['status'], string>> = {
  pending: 'being confirmed',
  completed: 'delivered',
  refunded: 'sent back',
  failed: 'neither delivered nor sent back',
}
const recorded = ({ status, failureReason }: StoredPayment): string =>
  status === 'failed' && failureReason === 'deposit_not_confirmed' ? 'not received' : RECORDED[status]

/** What a notification to a merchant is about. */
interface Topic {
  readonly type: string
  /** The payment, where it is about one; else about the whole session. */
  readonly about?: StoredPayment
  readonly corrected?: PaymentChange
}

/**
 * What a merchant is told of a change, chosen by what changed: paid, corrected by an operator, stuck or never confirmed, sent back, in
 * another currency, more than was asked for, or too late. Undefined for a change that they need not know.
 */
function topicOf({ before, after, changes }: Changed): Topic | undefined {
  const { status } = after
  const moved = before.status !== status
  const corrected = changes.findLast(isCorrection)
  if (moved && status === 'paid') {
    const about = after.payments.findLast((payment) => payment.status === 'completed' && payment.counts)
    return { type: 'money.received', ...(about ? { about } : {}) }
  }
  if (corrected) return { type: 'money.corrected', corrected }
  const ended = changes.map((change) => change.after).filter((payment) => payment.status !== 'pending')
  const wrong =
    ended.findLast((payment) => recorded(payment) === 'not received') ??
    ended.findLast((payment) => payment.status === 'failed' && !payment.settled) ??
    ended.findLast(isShort)
  if (wrong) return { type: 'money.stranded', about: wrong }
  const back = ended.findLast((payment) => payment.status === 'refunded')
  if (moved && status === 'returned' && back) return { type: 'money.returned', about: back }
  const brought = changes.filter(bringsAmounts).map((change) => change.after)
  const about = brought.findLast(({ requested }) => !requested) ?? (moved ? undefined : brought.at(-1))
  const isNews = about && (!about.requested || status === 'paid' || ENDED.includes(status))
  return isNews ? { type: 'money.received', about } : undefined
}

/**
 * The notification of a change to its merchant: what it says of the money is in the table of the pay page. Undefined for a change that
 * they need not know.
 */
export function noticeOf(
  paid: Parameters<typeof moneyData>[0],
  changed: Changed,
  now = new Date(),
): Notice | undefined {
  const topic = topicOf(changed)
  if (!topic) return undefined
  const { after } = changed
  const { type, about, corrected } = topic
  const name = `${plainName(after.title)}${after.invoiceNumber ? ` (${invoiceNumberText(after.invoiceNumber)})` : ''}`
  const index = about && after.payments.findIndex(({ id }) => id === about.id)
  const { merchant, sent: amount } = sessionReading(moneyData(paid, now), index)
  if (corrected) {
    const { before: was, after: is } = corrected
    const says =
      was && was.status === is.status
        ? 'is now recorded with other amounts'
        : `is now recorded as ${recorded(is)}; it was recorded as ${was ? recorded(was) : 'received'}`
    return {
      type,
      title: `Payment corrected: ${name}`,
      body: `A payment of ${sent(corrected)} for ${name} ${says}. ${merchant.text}`,
    }
  }
  const { heading, text } = merchant
  return {
    type,
    title:
      amount && heading.toLowerCase().startsWith(amount.toLowerCase())
        ? `${heading.slice(0, amount.length)} for ${name}${heading.slice(amount.length)}`
        : `${heading}: ${name}`,
    body: text,
  }
}

const ENDED: readonly string[] = ['returned', 'failed', 'expired', 'cancelled']

/** Creates the notification of a change with the commit: see {@link noticeOf}. */
export async function notifyMerchant(unit: UnitOfWork, collection: CollectionRow, changed: Changed): Promise<void> {
  if (!topicOf(changed)) return
  const { id, organisationId, environment } = changed.after
  const merchant = await merchantProfile(unit, organisationId)
  const notice = noticeOf({ collection, session: changed.after, merchant }, changed)
  if (notice) notify(unit, { ...notice, organisationId, environment, resource: { type: 'checkout_session', id } })
}
