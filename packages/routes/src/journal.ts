import type { AssetSymbol } from '@payments/kernel'
import { type AccountKey, type Draft, type Posting, reversalOf } from '@payments/ledger'

/** What a deposit's postings follow from. */
export interface DepositMoney {
  readonly id: string
  readonly status: string
  readonly originAmount: bigint
  readonly originCurrency: string
  readonly destinationAmount?: bigint | null | undefined
  readonly destinationCurrency: string
}

/** The provider's clearing account, which holds pending deposits. */
const PARTY = 'relay'

/**
 * All journal entries of a deposit up to its present state. Posting them again changes nothing.
 *
 * A deposit received on the origin chain moves from `external` to the provider's account (`received`). A delivery moves it from
 * there to the merchant's destination; a difference in the same asset is fees, another asset goes through `exchange`.
 * A returned deposit reverses `received`. One that failed without being returned is in suspense until an operator resolves it.
 */
export function journalDrafts(row: DepositMoney): Draft[] {
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

function delivery(row: DepositMoney, came: AccountKey): Posting[] {
  const { originAmount, destinationAmount, originCurrency, destinationCurrency } = row
  // Delivered, but the provider did not report the amount.
  if (!destinationAmount) return move(originAmount, came, account('suspense', originCurrency))
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
