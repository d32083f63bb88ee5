import { type Asset, errors, NIL_ID, toDecimal } from '@payments/kernel'
import { lockName, sqlOf } from '../../database/sql.ts'
import type { UnitOfWork } from '../../operations/context/context.ts'
import { platformSettings } from '../../settings/settings.ts'

/** Adds to what an operator has moved today. The row stays locked until the commit, so commands at the same time count each other. */
const COUNT = `insert into operator_amounts (operator_id, asset, day, amount)
  values ($1, $2, (now() at time zone 'utc')::date, $3)
  on conflict (operator_id, asset, day) do update set amount = operator_amounts.amount + excluded.amount
  returning amount::text`

/**
 * Lets the commands on money of one operator follow each other: what one of them has moved is counted for the next, and commands that
 * post before they count would wait in a circle with those that count before they post. Called first, before anything is locked.
 */
export const inTurnOfOperator = (unit: UnitOfWork): Promise<void> =>
  lockName(sqlOf(unit.em), `operator ${unit.actor.userId ?? NIL_ID}`)

/**
 * Requires that a second operator approves an action with which an operator would have moved more of an asset on this UTC day than
 * OPERATOR_LIMITS allows one alone, so that parts count like the whole; an asset without a limit always needs two. What a second
 * operator approved does not count. A dry run notes it instead. Called before accounts are locked.
 * @throws second_operator_required 403
 */
export async function requireSecondOperator(unit: UnitOfWork, asset: Asset, amount: bigint): Promise<void> {
  const moved = amount < 0n ? -amount : amount
  if (unit.requestedBy || moved === 0n) return
  const limit = platformSettings.from(unit.runtime.settings).OPERATOR_LIMITS.get(asset.symbol) ?? 0n
  const { rows } = await sqlOf(unit.em).query<{ amount: string }>(COUNT, [
    // Where no operator is known, the amounts of all are counted together.
    unit.operator ?? unit.actor.userId ?? NIL_ID,
    asset.symbol,
    moved.toString(),
  ])
  const today = BigInt(rows[0]?.amount ?? moved)
  if (today <= limit) return
  if (!unit.effects) throw errors.second_operator_required()
  unit.effects.push({
    kind: 'approval',
    resourceId: null,
    summary: `A second operator must approve ${toDecimal(moved, asset)} ${asset.symbol}: the limit of a day is ${toDecimal(limit, asset)}, ${toDecimal(today - moved, asset)} is used`,
  })
}
