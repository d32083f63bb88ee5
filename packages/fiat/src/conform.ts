import type { AssetSymbol } from '@payments/kernel'
import { type AccountKey, type Posting, post, postedOf } from '@payments/ledger'
import type { UnitOfWork } from '@payments/platform'
import { type OrderRow, orderResource } from './orders.ts'
import type { Direction } from './provider.ts'
import { balancesOf } from './receipt.ts'

/** Accounts that each provider has one of. */
const OF_PROVIDER: ReadonlySet<string> = new Set(['clearing', 'exchange'])

/**
 * Posts what the journal lacks for an order to hold what its receipt implies, as one entry: nothing where it holds it already. For
 * changes that no event of a report describes. The caller holds the order's lock.
 */
export async function conform(unit: UnitOfWork, direction: Direction, order: OrderRow, step: string): Promise<void> {
  const source = { type: direction, id: order.id }
  const { entries, balances } = await postedOf(unit, source)
  const wanted: Posting[] = wantedOf(direction, order).map(({ purpose, asset, amount }) => ({
    account: {
      purpose: purpose as AccountKey['purpose'],
      asset: asset as AssetSymbol,
      ...(OF_PROVIDER.has(purpose) ? { party: order.provider } : {}),
    },
    amount,
  }))
  const postings = difference(wanted, balances)
  if (postings.length > 0) await post(unit, { source, step: `${step}.${entries + 1}`, postings })
}

const wantedOf = (direction: Direction, order: OrderRow) =>
  balancesOf((orderResource[direction].entry?.(order)?.receipt ?? {}) as never)

const keyOf = ({ purpose, asset, party, customerId }: AccountKey): string =>
  [purpose, asset, party ?? '', customerId ?? ''].join('/')

function difference(wanted: readonly Posting[], held: readonly Posting[]): Posting[] {
  const sums = new Map<string, Posting>()
  const add = ({ account, amount }: Posting, sign: bigint) => {
    const key = keyOf(account)
    sums.set(key, { account, amount: (sums.get(key)?.amount ?? 0n) + sign * amount })
  }
  for (const each of wanted) add(each, 1n)
  for (const each of held) add(each, -1n)
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}
