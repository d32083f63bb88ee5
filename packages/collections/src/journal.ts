import type { AssetSymbol } from '@payments/kernel'
import type { AccountKey, Draft, Posting } from '@payments/ledger'
import type { SessionColumns, StoredPayment } from './rows.ts'

/** The provider through which conversions go: the party of the exchange accounts, as of payment routes. */
const PARTY = 'relay'

/**
 * The journal entry of one deposit to a session, posted once, when the deposit is final. Delivered: from `external` to the
 * merchant's destination, the provider's fees beside it; another asset goes through `exchange`. Neither delivered nor sent back,
 * or delivered with an unknown amount: into suspense. One that is under way, or was sent back, moves nothing.
 */
export function journalDraft(
  { id, destinationCurrency }: Pick<SessionColumns, 'id' | 'destinationCurrency'>,
  payment: StoredPayment,
): Draft | undefined {
  const postings = postingsOf(destinationCurrency, payment).filter(({ amount }) => amount !== 0n)
  if (postings.length === 0) return undefined
  return { source: { type: 'collection', id }, step: `deposit.${payment.id.replaceAll('-', '')}`, postings }
}

function postingsOf(target: string, payment: StoredPayment): Posting[] {
  const { currency, status } = payment
  const kept = BigInt(payment.amount) - BigInt(payment.returned)
  const from: Posting = { account: account('external', currency), amount: -kept }
  if (status === 'pending' || status === 'refunded') return []
  if (status === 'failed' || payment.delivered === null)
    return [from, { account: account('suspense', currency), amount: kept }]
  const delivered = BigInt(payment.delivered)
  const to: Posting = { account: account('destination', target), amount: delivered }
  if (currency === target) return [from, to, { account: account('fees', currency), amount: kept - delivered }]
  const fees = BigInt(payment.fees)
  return [
    from,
    { account: account('exchange', currency), amount: kept },
    { account: account('exchange', target), amount: -delivered - fees },
    to,
    { account: account('fees', target), amount: fees },
  ]
}

const account = (purpose: AccountKey['purpose'], asset: string): AccountKey => ({
  purpose,
  asset: asset as AssetSymbol,
  ...(purpose === 'exchange' ? { party: PARTY } : {}),
})
