import { accountsOf, type Draft, entryOf, postWithCommit, reversalOf, transfer } from '@payments/ledger'
import type { UnitOfWork } from '@payments/platform'
import type { Direction } from '../provider/provider.ts'
import type { OfframpRow } from './offramp.ts'
import { isHidden, type OnrampRow } from './onramp.ts'

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
  const account = accountsOf(order.provider)
  const entry = entryOf({ type: direction, id: order.id })
  const external = account('external', from)
  const withProvider = account('clearing', from)
  const onTheWay = account('clearing', to)
  const suspense = account('suspense', from)
  const converted = entry(
    'converted',
    ...transfer(received - fee, withProvider, account('exchange', from)),
    ...transfer(fee, withProvider, account('fees', from)),
    ...transfer(convertedAmount, account('exchange', to), onTheWay),
  )
  return {
    /** The payer's money reached the provider. `before`: what had been received before, when a payer sends in parts. */
    received: (before = 0n): Draft =>
      entry(
        before === 0n ? 'received' : `received.to_${received}`,
        ...transfer(received - before, external, withProvider),
      ),
    converted,
    /** The conversion is undone: the bank returned the transfer. */
    unconverted: reversalOf(converted),
    delivered: entry('delivered', ...transfer(convertedAmount, onTheWay, account('destination', to))),
    /** The provider holds the money, or cannot send it back: in suspense until an operator resolves it. */
    held: entry('held', ...transfer(received, withProvider, suspense)),
    stranded: entry('stranded', ...transfer(received, withProvider, suspense)),
    /** Sent back; what the provider kept is a fee. */
    refunded: (amount: bigint, fromSuspense: boolean): Draft => {
      const source = fromSuspense ? suspense : withProvider
      return entry(
        'refunded',
        ...transfer(amount, source, external),
        ...transfer(received - amount, source, account('fees', from)),
      )
    },
    /** The bank returned a transfer that it had confirmed. */
    returned: entry('returned', ...transfer(convertedAmount, account('destination', to), account('suspense', to))),
  }
}

/**
 * Posts the journal entries of a change of an order, those without postings excepted: in one call, so that the accounts of all entries
 * are locked in one order. Of a hidden order it posts nothing: its owner does.
 */
export async function postDrafts(
  unit: UnitOfWork,
  order: OfframpRow | OnrampRow,
  drafts: readonly Draft[],
): Promise<void> {
  if (isHidden(order)) return
  await postWithCommit(
    unit,
    drafts.filter(({ postings }) => postings.length > 0),
  )
}
