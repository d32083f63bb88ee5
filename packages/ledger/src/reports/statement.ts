import { type AssetSymbol, assets, toDecimal } from '@payments/kernel'
import { type QueryContext, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import { balanceDaysIn } from './days.ts'
import type { Period } from './period.ts'
import type { Statement } from './schemas.ts'

/** The movements of an asset on a day by one kind of object, or (`date` is empty) all before the period. Minor units. */
export interface Row {
  readonly asset: AssetSymbol
  readonly date: string
  readonly kind: string
  readonly received: string
  readonly paid: string
  readonly fees: string
}

interface Movements {
  readonly received: bigint
  readonly paid: bigint
  readonly fees: bigint
}

const sum = (rows: readonly Row[]): Movements => ({
  received: rows.reduce((total, { received }) => total + BigInt(received), 0n),
  paid: rows.reduce((total, { paid }) => total + BigInt(paid), 0n),
  fees: rows.reduce((total, { fees }) => total + BigInt(fees), 0n),
})

const net = ({ received, paid, fees }: Movements): bigint => received - paid - fees

/** A line of a statement: what one kind of object moved on a day, and the balance at the end of that day. Minor units. */
export interface Line extends Movements {
  readonly date: string
  readonly kind: string
  readonly balance: bigint
}

/**
 * The lines of an asset after the balance `opening`, of days and kinds as `rows` has them, oldest first. A line sums up what one kind moved on
 * a day, so between the lines of a day there was no balance: each has that of the end of its day, as the closing balance of a bank's
 * statement.
 */
export function linesAfter(opening: bigint, rows: readonly Row[]): Line[] {
  let balance = opening
  return [...Map.groupBy(rows, ({ date }) => date).values()].flatMap((own) => {
    balance += net(sum(own))
    return own.map((row) => ({ date: row.date, kind: row.kind, ...sum([row]), balance }))
  })
}

/**
 * What the organisation with all of its customers, or one customer, held during a period, by day of a time
 * zone: money that is available or reserved. It equals the balances of the journal to the unit.
 */
export async function statement(
  { actor, em }: QueryContext,
  period: Period,
  zone: string,
  { asset, customerId }: { readonly asset?: string; readonly customerId?: string },
): Promise<z.output<typeof Statement>> {
  const days = balanceDaysIn(zone, period, 7)
  const { rows } = await sqlOf(em).query<Row>(
    `select asset, case when day < $4 then '' else day::text end as date, case when day < $4 then '' else kind end as kind,
            sum(received)::text as received, sum(paid)::text as paid, sum(fees)::text as fees
       from ${days.from}
      where organisation_id = $1 and environment = $2 and scope = $3 and day <= $5 and ($6::text is null or asset = $6)
      group by 1, 2, 3 having sum(received) <> 0 or sum(paid) <> 0 or sum(fees) <> 0 order by 1, 2, 3`,
    [
      actor.organisationId,
      actor.environment,
      customerId?.toLowerCase() ?? '',
      period.from,
      period.to,
      asset ?? null,
      ...days.values,
    ],
  )
  const statements = [...Map.groupBy(rows, (row) => row.asset)].map(([symbol, own]) => {
    const decimal = (units: bigint) => toDecimal(units, assets[symbol])
    const shown = ({ received, paid, fees }: Movements) => ({
      in: decimal(received),
      out: decimal(paid),
      fees: decimal(fees),
    })
    const opening = net(sum(own.filter(({ date }) => date === '')))
    const during = own.filter(({ date }) => date !== '')
    const total = sum(during)
    const lines = linesAfter(opening, during).map((line) => ({
      date: line.date,
      kind: line.kind,
      ...shown(line),
      balance: decimal(line.balance),
    }))
    return {
      asset: symbol,
      openingBalance: decimal(opening),
      ...shown(total),
      closingBalance: decimal(opening + net(total)),
      lines,
    }
  })
  return { timeZone: zone, ...period, customerId: customerId ?? null, statements }
}
