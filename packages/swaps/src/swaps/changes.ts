import { toMinor } from '@payments/kernel'
import { type Settings, type UnitOfWork, updateResource } from '@payments/platform'
import { assetIn } from '../currencies.ts'
import { type SwapRow, swapResource } from '../entity.ts'
import { swapsSettings } from '../provider/settings.ts'

/**
 * Changes a locked swap without changing its status. No event is sent, because events are for changes of status; its
 * transaction in the unified list follows.
 */
export const update = (unit: UnitOfWork, swap: SwapRow, fields: Partial<Omit<SwapRow, 'status'>>): Promise<SwapRow> =>
  updateResource(unit, swapResource, swap, fields)

/** What is at the deposit address: deposited, and neither swapped nor sent back. */
export const heldAmount = (swap: Pick<SwapRow, 'status' | 'amount' | 'depositedAmount' | 'returnedAmount'>): bigint =>
  swap.depositedAmount - swap.returnedAmount - (swap.status === 'completed' ? swap.amount : 0n)

/** The transaction that a swap needs next, unless one of it is open; null: none. */
export function neededTransaction(
  swap: SwapRow,
  settings: Settings,
): { readonly kind: 'swap' | 'refund'; readonly amount: bigint } | null {
  if (swap.status === 'awaiting_deposit') return null
  if (swap.status === 'swapping') return { kind: 'swap', amount: swap.amount }
  const held = heldAmount(swap)
  const least = toMinor(swapsSettings.from(settings).SWAP_MIN_REFUND_AMOUNT, assetIn(swap.fromCurrency))
  return held > 0n && held >= least ? { kind: 'refund', amount: held } : null
}
