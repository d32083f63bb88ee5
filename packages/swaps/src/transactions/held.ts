import { merchantProfile } from '@payments/accounts'
import { locked, type QueryContext, type UnitOfWork } from '@payments/platform'
import { SwapEntity, type SwapRow, swapResource } from '../entity.ts'
import { errors } from '../errors.ts'

/** Must nothing be sent for the swap, because its organisation is suspended, and no operator has released it? */
export const isHeld = async (context: QueryContext, { organisationId, releasedAt }: SwapRow): Promise<boolean> =>
  !releasedAt && (await merchantProfile(context, organisationId)).suspended

/** Notes for operators whether a swap is held: what was sent before finishes, what was not waits. */
export async function noteHeld(unit: UnitOfWork, { id }: SwapRow, held: boolean): Promise<void> {
  const swap = await locked(unit, swapResource, id, errors.swap_not_found)
  if (held === Boolean(swap.heldAt)) return
  await unit.em.nativeUpdate(SwapEntity, { id }, { heldAt: held ? new Date() : null })
}
