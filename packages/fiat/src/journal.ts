import type { AssetSymbol } from '@payments/kernel'
import { type AccountKey, type Draft, type Posting, reversalOf } from '@payments/ledger'
import type { Direction } from './provider.ts'

/** What an order's postings follow from. */
export interface OrderMoney {
  readonly id: string
  readonly provider: string
  readonly sourceCurrency: string
  readonly destinationCurrency: string
  readonly fee: bigint
  readonly convertedAmount: bigint
  readonly receivedAmount?: bigint | null
}

/** The journal entries of an order. Each is posted once, in the transaction that changes the order. */
export function journalOf(direction: Direction, order: OrderMoney) {
  const { sourceCurrency: from, destinationCurrency: to, fee, convertedAmount } = order
  const received = order.receivedAmount ?? 0n
  const account = (purpose: AccountKey['purpose'], asset: string): AccountKey => ({
    purpose,
    asset: asset as AssetSymbol,
    ...(purpose === 'clearing' || purpose === 'exchange' ? { party: order.provider } : {}),
  })
  const entry = (step: string, ...postings: Posting[]): Draft => ({
    source: { type: direction, id: order.id },
    step,
    postings: postings.filter(({ amount }) => amount !== 0n),
  })
  const move = (amount: bigint, source: AccountKey, target: AccountKey): Posting[] => [
    { account: source, amount: -amount },
    { account: target, amount },
  ]
  const external = account('external', from)
  const withProvider = account('clearing', from)
  const onTheWay = account('clearing', to)
  const suspense = account('suspense', from)
  const converted = entry(
    'converted',
    ...move(received - fee, withProvider, account('exchange', from)),
    ...move(fee, withProvider, account('fees', from)),
    ...move(convertedAmount, account('exchange', to), onTheWay),
  )
  return {
    /** The payer's money reached the provider. `before`: what had been received before, when a payer sends in parts. */
    received: (before = 0n): Draft =>
      entry(before === 0n ? 'received' : `received.to_${received}`, ...move(received - before, external, withProvider)),
    converted,
    /** The conversion is undone: the bank returned the transfer. */
    unconverted: reversalOf(converted),
    delivered: entry('delivered', ...move(convertedAmount, onTheWay, account('destination', to))),
    /** The provider holds the money, or cannot send it back: in suspense until an operator resolves it. */
    held: entry('held', ...move(received, withProvider, suspense)),
    stranded: entry('stranded', ...move(received, withProvider, suspense)),
    /** Sent back; what the provider kept is a fee. */
    refunded: (amount: bigint, fromSuspense: boolean): Draft => {
      const source = fromSuspense ? suspense : withProvider
      return entry(
        'refunded',
        ...move(amount, source, external),
        ...move(received - amount, source, account('fees', from)),
      )
    },
    /** The bank returned a transfer that it had confirmed. */
    returned: entry('returned', ...move(convertedAmount, account('destination', to), account('suspense', to))),
  }
}
