import { type AccountKey, accountsOf, type Draft, difference, type Posting, postedOf } from '@payments/ledger'
import type { UnitOfWork } from '@payments/platform'
import { postDrafts } from '../entities/journal.ts'
import { isHidden } from '../entities/onramp.ts'
import { type OrderRow, orderResource } from '../orders/orders.ts'
import type { Direction } from '../provider/provider.ts'
import { balancesOf } from '../receipt.ts'

/**
 * Posts the journal entries of a change of an order, and what the journal then lacks for the order to hold what its receipt implies, as one entry more: for
 * changes that no event of a report describes. The owner of a hidden order posts for it. The caller holds the order's lock, and none of the
 * entries was posted before.
 */
export async function conform(
  unit: UnitOfWork,
  direction: Direction,
  order: OrderRow,
  step: string,
  drafts: readonly Draft[],
): Promise<void> {
  if (isHidden(order)) return
  const source = { type: direction, id: order.id }
  const { entries, balances } = await postedOf(unit, source)
  const account = accountsOf(order.provider)
  const wanted: Posting[] = wantedOf(direction, order).map(({ purpose, asset, amount }) => ({
    account: account(purpose as AccountKey['purpose'], asset),
    amount,
  }))
  const postings = difference(wanted, [...balances, ...drafts.flatMap((draft) => draft.postings)])
  const posted = drafts.filter((draft) => draft.postings.length > 0).length
  await postDrafts(unit, order, [...drafts, { source, step: `${step}.${entries + posted + 1}`, postings }])
}

const wantedOf = (direction: Direction, order: OrderRow) =>
  balancesOf((orderResource[direction].entry?.(order)?.receipt ?? {}) as never)
