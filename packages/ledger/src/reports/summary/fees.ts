import { type AssetSymbol, assets, toDecimal } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { daysIn } from '../days.ts'
import type { Period } from '../period.ts'
import type { Daily, Summary } from '../schemas.ts'

/** The fees of a day by kind of the object and asset, in minor units. */
interface Row {
  readonly date: string
  readonly kind: string
  readonly asset: AssetSymbol
  readonly fees: string
}

/** The fees of each day of a period, from the journal. */
export async function feesOf({ actor, em }: QueryContext, { from, to }: Period, zone: string): Promise<readonly Row[]> {
  const days = daysIn(zone, 'fee_days', { from, to }, 5)
  const { rows } = await sqlOf(em).query<Row>(
    `select day::text as date, kind, asset, sum(fees)::text as fees from ${days.from}
      where organisation_id = $1 and environment = $2 and day between $3 and $4
      group by fee_days.day, kind, asset having sum(fees) <> 0 order by fee_days.day, kind, asset`,
    [actor.organisationId, actor.environment, from, to, ...days.values],
  )
  return rows
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

/** The fees of all days together by asset, and by kind. */
export const shownFees = (rows: readonly Row[]): z.output<typeof Summary>['fees'] =>
  [...Map.groupBy(rows, ({ asset }) => asset)].toSorted(byName).map(([asset, own]) => {
    const amountOf = (of: readonly Row[]) =>
      toDecimal(
        of.reduce((sum, { fees }) => sum + BigInt(fees), 0n),
        assets[asset],
      )
    const kinds = [...Map.groupBy(own, ({ kind }) => kind)].toSorted(byName)
    return { asset, amount: amountOf(own), kinds: kinds.map(([kind, of]) => ({ kind, amount: amountOf(of) })) }
  })

/** The fees of each day. */
export const shownFeesOfDays = (rows: readonly Row[]): z.output<typeof Daily>['fees'] =>
  rows.map(({ fees, ...row }) => ({ ...row, amount: toDecimal(BigInt(fees), assets[row.asset]) }))
