import type { AssetSymbol } from '@payments/kernel'
import { type AccountKey, type Draft, type Posting, reversalOf } from '@payments/ledger'
import type { DepositRow } from './entity.ts'

/** Whose clearing account holds a deposit that is on its way. */
const PARTY = 'relay'

/**
 * Everything that a deposit has moved up to its present state, for the journal. Booking all of it again changes nothing.
 *
 * Seen on the origin chain, the money came from outside to the provider (`received`). Delivered, it left the provider for the
 * merchant's destination; what is missing of the same asset went to fees, another asset went through `exchange`.
 * Sent back, the receipt is reversed. Neither delivered nor sent back, it is in suspense until somebody finds out.
 */
export function journalDrafts(row: DepositRow): Draft[] {
  const source = { type: 'payment_route', id: row.id }
  const came = account('clearing', row.originCurrency)
  const received: Draft = {
    source,
    step: 'received',
    postings: move(row.originAmount, account('external', row.originCurrency), came),
  }
  const drafts = [received]
  if (row.status === 'completed') drafts.push({ source, step: 'delivered', postings: delivery(row, came) })
  if (row.status === 'refunded') drafts.push(reversalOf(received))
  if (row.status === 'failed') {
    const lost = account('suspense', row.originCurrency)
    drafts.push({ source, step: 'stranded', postings: move(row.originAmount, came, lost) })
  }
  return drafts.filter((draft) => draft.postings.length > 0)
}

function delivery(row: DepositRow, came: AccountKey): Posting[] {
  const { originAmount, destinationAmount, originCurrency, destinationCurrency } = row
  // Delivered, but the provider does not say how much: that is not yet explained.
  if (destinationAmount == null) return move(originAmount, came, account('suspense', originCurrency))
  const arrived = account('destination', destinationCurrency)
  if (originCurrency === destinationCurrency) {
    return [
      ...move(destinationAmount, came, arrived),
      ...move(originAmount - destinationAmount, came, account('fees', originCurrency)),
    ]
  }
  return [
    ...move(originAmount, came, account('exchange', originCurrency)),
    ...move(destinationAmount, account('exchange', destinationCurrency), arrived),
  ]
}

const account = (purpose: AccountKey['purpose'], asset: string): AccountKey => ({
  purpose,
  asset: asset as AssetSymbol,
  ...(purpose === 'clearing' || purpose === 'exchange' ? { party: PARTY } : {}),
})

const move = (amount: bigint, from: AccountKey, to: AccountKey): Posting[] =>
  amount === 0n
    ? []
    : [
        { account: from, amount: -amount },
        { account: to, amount },
      ]
