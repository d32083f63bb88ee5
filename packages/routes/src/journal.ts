import { assetOf } from '@payments/kernel'
import { type AccountKey, accountsOf, type Draft, difference, type Posting } from '@payments/ledger'

/** What a deposit's postings follow from. */
export interface DepositMoney {
  readonly id: string
  readonly provider: string
  readonly status: string
  /** Null: not known yet. */
  readonly originAmount?: bigint | null | undefined
  readonly originCurrency: string
  readonly destinationAmount?: bigint | null | undefined
  readonly destinationCurrency: string
  /** What was sent back of it, without the fees of that; null where the provider has not told. */
  readonly returnedAmount?: bigint | null | undefined
  readonly refundOwner?: string | null | undefined
  readonly settledAt?: Date | null | undefined
}

/** The name of a provider's accounts. The sandbox simulates Relay, and its accounts have had that name from the beginning. */
export const partyOf = (provider: string): string => (provider === 'sandbox' ? 'relay' : provider)

/** The name of the entry that a status is reached by. */
const STEPS: Readonly<Record<string, string>> = {
  pending: 'received',
  completed: 'delivered',
  refunded: 'returned',
  failed: 'stranded',
}

/** A refund that came back to this service: it is owed until an operator has passed it on. */
export const isRefundHeld = ({ status, refundOwner, settledAt }: Omit<DepositMoney, 'id' | 'provider'>): boolean =>
  status === 'refunded' && refundOwner === 'service' && !settledAt

/**
 * The balances of a deposit in its present state.
 *
 * A deposit received on the origin chain is in the provider's account. Delivered, it is at the merchant's destination; a difference
 * in the same asset is fees, another asset goes through `exchange`. Returned, it is nowhere, unless it came back to this service: then
 * it is in suspense, and so is one that failed without being returned, until an operator settles it. A token that this service does
 * not know has no account.
 */
function balancesOf(row: DepositMoney): Posting[] {
  const { originCurrency, destinationCurrency } = row
  const received = assetOf(originCurrency) ? (row.originAmount ?? 0n) : 0n
  const account = accountsOf(partyOf(row.provider))
  const at = (purpose: AccountKey['purpose'], asset: string, amount: bigint): Posting => ({
    account: account(purpose, asset),
    amount,
  })
  const external = at('external', originCurrency, -received)
  switch (row.status) {
    case 'pending':
      return [external, at('clearing', originCurrency, received)]
    case 'refunded': {
      if (!isRefundHeld(row)) return []
      // What came back, without the fees of the refund.
      const back = assetOf(originCurrency) ? (row.returnedAmount ?? received) : 0n
      return [at('external', originCurrency, -back), at('suspense', originCurrency, back)]
    }
    case 'completed': {
      const { destinationAmount } = row
      // A deposit completes with what was delivered (see hasEnded); without it, nothing says where the money is.
      if (!destinationAmount) return [external, at('suspense', originCurrency, received)]
      const delivered = at('destination', destinationCurrency, destinationAmount)
      if (originCurrency === destinationCurrency)
        return [external, delivered, at('fees', originCurrency, received - destinationAmount)]
      return [
        external,
        at('exchange', originCurrency, received),
        at('exchange', destinationCurrency, -destinationAmount),
        delivered,
      ]
    }
    default:
      return [external, at('suspense', originCurrency, received)]
  }
}

/**
 * The entry of a deposit that changes from one state to another: the difference between their balances, so that the journal always
 * shows the present state, whatever was posted before. Undefined where nothing moves.
 * @param before undefined for a deposit that is new
 * @param step a name of its own, for a state that a deposit may reach twice
 */
export function journalDraft(before: DepositMoney | undefined, after: DepositMoney, step?: string): Draft | undefined {
  const postings = difference(balancesOf(after), before ? balancesOf(before) : [])
  if (postings.length === 0) return undefined
  return {
    source: { type: 'payment_route', id: after.id },
    step: step ?? STEPS[after.status] ?? after.status,
    postings,
  }
}
