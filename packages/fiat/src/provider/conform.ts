import { type AccountKey, accountsOf, difference, type Posting, post, postedOf } from '@payments/ledger'
import type { UnitOfWork } from '@payments/platform'
import { isHidden } from '../entities/onramp.ts'
import { balancesOf } from '../money/receipt.ts'
import { type OrderRow, orderResource } from '../orders/orders.ts'
import type { Direction } from './provider.ts'

/**
 * Posts what the journal lacks for an order to hold what its receipt implies, as one entry: nothing where it holds it already. For
 * changes that no event of a report describes. The owner of a hidden order posts for it. The caller holds the order's lock.
 */
export async function conform(unit: UnitOfWork, direction: Direction, order: OrderRow, step: string): Promise<void> {
  if (isHidden(order)) return
  const source = { type: direction, id: order.id }
  const { entries, balances } = await postedOf(unit, source)
  const account = accountsOf(order.provider)
  const wanted: Posting[] = wantedOf(direction, order).map(({ purpose, asset, amount }) => ({
    account: account(purpose as AccountKey['purpose'], asset),
    amount,
  }))
  const postings = difference(wanted, balances)
  if (postings.length > 0) await post(unit, { source, step: `${step}.${entries + 1}`, postings })
}

const wantedOf = (direction: Direction, order: OrderRow) =>
  balancesOf((orderResource[direction].entry?.(order)?.receipt ?? {}) as never)
