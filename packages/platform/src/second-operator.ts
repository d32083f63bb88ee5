import { type Asset, errors, toDecimal } from '@payments/kernel'
import type { UnitOfWork } from './context.ts'
import { platformSettings } from './settings.ts'

/**
 * Requires that a second operator approves an action that moves more than OPERATOR_LIMITS allows one alone; an asset without a
 * limit always needs two. A dry run notes it instead.
 * @throws second_operator_required 403
 */
export function requireSecondOperator(unit: UnitOfWork, asset: Asset, amount: bigint): void {
  const limit = platformSettings.from(unit.runtime.settings).OPERATOR_LIMITS.get(asset.symbol) ?? 0n
  const moved = amount < 0n ? -amount : amount
  if (moved <= limit || unit.requestedBy) return
  if (!unit.effects) throw errors.second_operator_required()
  unit.effects.push({
    kind: 'approval',
    resourceId: null,
    summary: `A second operator must approve ${toDecimal(moved, asset)} ${asset.symbol}: the limit is ${toDecimal(limit, asset)}`,
  })
}
