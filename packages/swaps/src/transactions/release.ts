import { actingFor, locked, requireSecondOperator, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { assetIn } from '../currencies.ts'
import { SwapEntity, type SwapRow, swapResource } from '../entity.ts'
import { errors } from '../errors.ts'
import type { Release } from '../schemas.ts'
import { heldAmount } from '../swaps/changes.ts'
import { pollNow } from '../swaps/schedule.ts'
import { findAnywhere } from '../swaps/service.ts'
import { fail } from './transactions.ts'

/** Why a swap failed that an operator did not let go on after its organisation was suspended. */
const SUSPENDED = 'organisation_suspended'

/**
 * An operator has the transaction of a held swap sent, or has it fail: then its deposit is sent back.
 * @throws swap_not_found 404, swap_not_held 409, second_operator_required 403
 */
export async function release(
  unit: UnitOfWork,
  { swapId, outcome }: z.output<typeof Release>,
): Promise<{ before: SwapRow; swap: SwapRow }> {
  const found = await findAnywhere(unit, swapId)
  const own = actingFor(unit, found)
  const before = await locked(own, swapResource, found.id, errors.swap_not_found)
  if (!before.heldAt) throw errors.swap_not_held()
  await requireSecondOperator(own, assetIn(before.fromCurrency), heldAmount(before))
  const isFailed = outcome === 'return' && before.status === 'swapping'
  const swap = isFailed ? await fail(own, before.id, SUSPENDED) : before
  await own.em.nativeUpdate(SwapEntity, { id: before.id }, { heldAt: null, releasedAt: new Date() })
  await pollNow(own, before.id, true)
  return { before, swap }
}
