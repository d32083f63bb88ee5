import { assetOf } from '@payments/kernel'
import { accountsOf, type Draft, difference, type Posting } from '@payments/ledger'
import { partyOf } from '@payments/routes'
import type { SessionColumns, StoredPayment } from './rows.ts'

/** A refund that came back to this service: it is owed until an operator has passed it on. */
export const isRefundHeld = ({ status, refundTo, settled }: StoredPayment): boolean =>
  status === 'refunded' && refundTo?.owner === 'service' && !settled

/** The merchant accepts it as paid. */
export const isAccepted = ({ status, resolution }: StoredPayment): boolean =>
  status === 'completed' && resolution?.action === 'counted'

/** What a payment counts for, in minor units of the currency of its session; zero for what was not asked for. */
export const creditedOf = ({ requested, status, amount, returned, credited }: StoredPayment): bigint =>
  credited !== undefined
    ? BigInt(credited)
    : requested
      ? BigInt(amount) - (status === 'refunded' ? 0n : BigInt(returned))
      : 0n

/**
 * The journal entry of one deposit to a session, whenever its outcome changes: the difference between its balances before and
 * after. Delivered: from `external` to the merchant's destination, the provider's fees beside it; another asset goes through `exchange`.
 * Neither delivered nor sent back, delivered with an unknown amount, or sent back to this service: into suspense; and what is missing of a delivery. One that is under way,
 * or was sent back, moves nothing.
 * @param step a name of its own for a change after the first end
 */
export function journalDraft(
  { id, provider, destinationCurrency }: Pick<SessionColumns, 'id' | 'provider' | 'destinationCurrency'>,
  payment: StoredPayment,
  before?: StoredPayment,
  step = `deposit.${payment.id.replaceAll('-', '')}`,
): Draft | undefined {
  const balances = (of: StoredPayment) => balancesOf(provider, destinationCurrency, of)
  const postings = difference(balances(payment), before ? balances(before) : [])
  return postings.length === 0 ? undefined : { source: { type: 'collection', id }, step, postings }
}

function balancesOf(provider: string, target: string, payment: StoredPayment): Posting[] {
  const account = accountsOf(partyOf(payment.provider ?? provider))
  const { currency, status } = payment
  // A token that this service does not know has no account, and its amount no unit.
  const kept = assetOf(currency) ? BigInt(payment.amount) - BigInt(payment.returned) : 0n
  const from: Posting = { account: account('external', currency), amount: -kept }
  const suspense: Posting = { account: account('suspense', currency), amount: kept }
  if (isRefundHeld(payment)) {
    // What came back, without the fees of the refund, where that is known.
    const back = assetOf(currency) ? BigInt(payment.returned === '0' ? payment.amount : payment.returned) : 0n
    return [
      { ...from, amount: -back },
      { ...suspense, amount: back },
    ]
  }
  if (status === 'pending' || status === 'refunded') return []
  if (status === 'failed' || payment.delivered === null) return [from, suspense]
  const delivered = BigInt(payment.delivered)
  const to: Posting = { account: account('destination', target), amount: delivered }
  // What the provider owes is no fee.
  const rest = account(payment.short ? 'suspense' : 'fees', currency)
  if (currency === target) return [from, to, { account: rest, amount: kept - delivered }]
  const fees = BigInt(payment.fees)
  return [
    from,
    { account: account('exchange', currency), amount: kept },
    { account: account('exchange', target), amount: -delivered - fees },
    to,
    { account: account('fees', target), amount: fees },
  ]
}
