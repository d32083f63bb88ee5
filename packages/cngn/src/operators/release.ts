import { assets } from '@payments/kernel'
import { actingFor, requireSecondOperator, type UnitOfWork } from '@payments/platform'
import type { TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { releaseHeld } from '../movements/sends/holds.ts'
import { lockedTransfer, update } from '../resources/transfers.ts'
import { findAnywhere } from './admin.ts'

/** Why an object needs an operator while its order is held. */
const HELD = ['organisation_suspended', 'outcome_unknown']

/**
 * Sends money out that was held before it was sent, once. What it looked like is another's from now on.
 * @throws cngn_transfer_not_found 404, cngn_nothing_held 409, second_operator_required 403
 */
export async function releaseTransfer(
  unit: UnitOfWork,
  id: string,
): Promise<{ before: TransferRow; row: TransferRow }> {
  const found = await findAnywhere(unit, id)
  const own = actingFor(unit, found)
  const before = await lockedTransfer(own, found.kind, found.id)
  if (!(await releaseHeld(own, before.id))) throw errors.cngn_nothing_held()
  await requireSecondOperator(own, assets.cNGN, before.amount ?? 0n)
  const row = await update(own, before, {
    providerOutcome: null,
    ...(HELD.includes(before.attention ?? '') ? { attention: null } : {}),
  })
  return { before, row }
}
