import { plainName } from '@payments/accounts'
import { assetOf } from '@payments/kernel'
import { notify } from '@payments/notifications'
import type { UnitOfWork } from '@payments/platform'
import { wentTo } from '@payments/routes'
import type { PaymentChange } from '../payments/arrivals.ts'
import { bringsAmounts, isCorrection, isShort } from '../payments/outcome.ts'
import { decimal, decimalOrZero, invoiceNumberText } from '../present.ts'
import type { SessionColumns, StoredPayment } from '../terms/rows.ts'

/** A session before and after a change, and the payments that changed it. */
interface Changed {
  readonly before: SessionColumns
  readonly after: SessionColumns
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

/**
 * What a merchant is told of a change, chosen by what changed: paid, paid twice, corrected by an operator, stuck or never confirmed, sent back, in
 * another currency, more than was asked for, or too late. Undefined for a change that they need not know.
 */
export function noticeOf({ before, after, changes }: Changed): Notice | undefined {
  const { currency, status } = after
  const money = (units: bigint) => `${decimal(units, currency)} ${currency}`
  const name = `“${plainName(after.title)}”${after.invoiceNumber ? ` (${invoiceNumberText(after.invoiceNumber)})` : ''}`
  const inAll = `${money(after.receivedAmount)} of ${money(after.amount)}`
  const moved = before.status !== status
  const corrected = changes.findLast(isCorrection)
  if (moved && status === 'paid') {
    const over = after.receivedAmount - after.amount
    const more = over > 0n && after.paidOver ? ` That is ${money(over)} more than was asked for.` : ''
    return after.paidTwice
      ? {
          type: 'money.received',
          title: 'Paid twice',
          body: `${name} had been paid already, and a further payment of ${money(after.receivedAmount)} was received. You may want to refund the payer.`,
        }
      : {
          type: 'money.received',
          title: 'Payment received',
          body: `A payment of ${money(after.receivedAmount)} for ${name} was received.${more}`,
        }
  }
  if (corrected) {
    const { before: was, after: is } = corrected
    const says =
      was && was.status === is.status
        ? `is now recorded with other amounts`
        : `is now recorded as ${recorded(is)}; it was recorded as ${was ? recorded(was) : 'received'}`
    return {
      type: 'money.corrected',
      title: 'Payment corrected',
      body: `A payment of ${sent(corrected)} for ${name} ${says}. Received: ${inAll}. Its status is ${status}.`,
    }
  }
  const ended = changes.filter(({ after: payment }) => payment.status !== 'pending')
  const lost = ended.findLast(({ after: payment }) => recorded(payment) === 'not received')
  if (lost)
    return {
      type: 'money.stranded',
      title: 'Payment not confirmed',
      body: `A payment of ${sent(lost)} for ${name} was not confirmed by its network, so it was not received. If it is confirmed later, it still counts.`,
    }
  const stuck = ended.findLast(({ after: { status: is, settled } }) => is === 'failed' && !settled)
  if (stuck)
    return {
      type: 'money.stranded',
      title: 'Payment neither delivered nor returned',
      body:
        stuck.after.failureReason === 'provider_blocked'
          ? `The provider holds a payment of ${sent(stuck)} for ${name} for a compliance review. Please contact support.`
          : `A payment of ${sent(stuck)} for ${name} is stuck with the provider. Please contact support.`,
    }
  const short = ended.findLast(({ after: payment }) => isShort(payment))
  if (short)
    return {
      type: 'money.stranded',
      title: 'Less delivered than promised',
      body: `Of a payment of ${sent(short)} for ${name}, ${decimal(BigInt(short.after.delivered ?? 0), after.destinationCurrency)} ${after.destinationCurrency} was delivered to you: less than the provider promised. It counts once we have checked it; you need not do anything.`,
    }
  const back = ended.findLast(({ after: payment }) => payment.status === 'refunded')
  if (moved && status === 'returned' && back)
    return {
      type: 'money.returned',
      title: 'Payment returned',
      body: `A payment of ${sent(back)} for ${name} could not be accepted and ${wentTo({ refundTo: back.after.refundTo })}`,
    }
  const brought = ended.filter(bringsAmounts)
  const other = brought.findLast(({ after: payment }) => !payment.requested)
  if (other)
    return {
      type: 'money.received',
      title: 'Payment in another currency',
      body: `A payment of ${sent(other)} was delivered to you. ${money(after.amount)} was asked for, so it does not count as paid for ${name}.`,
    }
  const last = brought.at(-1)
  if (!last || moved) return undefined
  if (status === 'paid')
    return {
      type: 'money.received',
      title: 'Overpayment received',
      body: `A further payment of ${sent(last)} was received for ${name}, which had been paid: ${money(after.receivedAmount)} in all, where ${money(after.amount)} was asked for.`,
    }
  return ENDED.includes(status)
    ? {
        type: 'money.received',
        title: 'Payment after the end of a session',
        body: `A payment of ${sent(last)} arrived for ${name} after its checkout session had ended. It was delivered to you and does not count as paid. Received in all: ${money(after.receivedAmount)}.`,
      }
    : undefined
}

const ENDED: readonly string[] = ['returned', 'failed', 'expired', 'cancelled']

/** Creates the notification of a change with the commit: see {@link noticeOf}. */
export function notifyMerchant(unit: UnitOfWork, changed: Changed): void {
  const notice = noticeOf(changed)
  const { id, organisationId, environment } = changed.after
  if (notice) notify(unit, { ...notice, organisationId, environment, resource: { type: 'checkout_session', id } })
}
