import { risingAfter, toMinor } from '@payments/kernel'
import { recordEntry, type Settings, type UnitOfWork } from '@payments/platform'
import { SwapEntity, type SwapRow, swapResource } from '../entity.ts'
import { swapsSettings } from '../provider/settings.ts'
import { assetIn } from './currencies.ts'

/**
 * Changes a locked swap without changing its status. No event is sent, because events are for changes of status; its
 * transaction in the unified list follows.
 */
export async function update(
  unit: UnitOfWork,
  swap: SwapRow,
  fields: Partial<Omit<SwapRow, 'status'>>,
): Promise<SwapRow> {
  const changes = { ...fields, updatedAt: risingAfter(swap.updatedAt) }
  await unit.em.nativeUpdate(SwapEntity, { id: swap.id }, changes)
  const next = { ...swap, ...changes } as SwapRow
  recordEntry(unit, swapResource, next)
  return next
}

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
