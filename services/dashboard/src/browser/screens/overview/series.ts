import { type Direction, directionOf } from '@payments/kernel'
import { DAY_MS, exact } from '../../parts/format.ts'

/** What a report says of a day. */
export interface ReportedDay {
  readonly date: string
  readonly kind: string
  readonly asset: string
  readonly count: number
  readonly succeededAmount: string
}

/** A day of a chart, with the same day of the period before. Values are exact decimal text. */
interface ChartDay {
  readonly date: string
  readonly value: string
  readonly before: string
}

/** What a chart shows: money of a currency in a direction, or the number of transactions. */
export interface Series {
  readonly key: string
  readonly name: string
  /** What its values are of. */
  readonly unit: string
  readonly days: readonly ChartDay[]
}

/** Kinds whose transactions wait for their money while they are pending. */
const AWAIT_MONEY = ['offramp', 'cngn_convert', 'cngn_payin', 'cngn_deposit']

/** True of money that has arrived somewhere and not at its end. */
export const isOnItsWay = ({ kind, status }: { readonly kind: string; readonly status: string }): boolean =>
  status === 'pending' ? !AWAIT_MONEY.includes(kind) : ['processing', 'swapping'].includes(status)

/** The sum of decimal texts, exact. */
export function sum(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map((each) => each.split('.')[1]?.length ?? 0))
  const units = amounts.reduce((total, each) => {
    const [whole = '0', decimals = ''] = each.split('.')
    return total + BigInt(whole + decimals.padEnd(places, '0'))
  }, 0n)
  const digits = units.toString().padStart(places + 1, '0')
  const decimals = digits.slice(digits.length - places).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - places)
  return places > 0 && decimals ? `${whole}.${decimals}` : whole
}

const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)

const MOVES: readonly (readonly [direction: Direction, name: string])[] = [
  ['in', 'Came in'],
  ['out', 'Went out'],
  ['exchange', 'Exchanged'],
]

/**
 * The charts of a period that show something: what succeeded by direction and currency, then the number of transactions. Each has every day of
 * the period.
 * @param reported the days of the period and of the one before
 */
export function seriesOf(reported: readonly ReportedDay[], from: string, to: string): Series[] {
  const length = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1
  const dates = Array.from({ length }, (_, index) => addDays(from, index))
  const series = (
    key: string,
    name: string,
    unit: string,
    totalOf: (days: readonly ReportedDay[]) => string,
    fits: (day: ReportedDay) => boolean,
  ): Series => {
    const byDate = Map.groupBy(reported.filter(fits), ({ date }) => date)
    const of = (date: string) => totalOf(byDate.get(date) ?? [])
    return {
      key,
      name,
      unit,
      days: dates.map((date) => ({ date, value: of(date), before: of(addDays(date, -length)) })),
    }
  }
  const assets = [...new Set(reported.map(({ asset }) => asset))].toSorted()
  const money = MOVES.flatMap(([direction, name]) =>
    assets.map((asset) =>
      series(
        `${direction} ${asset}`,
        `${name}, ${asset}`,
        asset,
        (days) => sum(days.map(({ succeededAmount }) => succeededAmount)),
        (day) => day.asset === asset && directionOf(day.kind) === direction,
      ),
    ),
  )
  const count = series(
    'count',
    'Number of transactions',
    'transactions',
    (days) => String(days.reduce((all, { count: of }) => all + of, 0)),
    () => true,
  )
  return [...money, count].filter(({ days }) => days.some(({ value, before }) => value !== '0' || before !== '0'))
}

/** Values of the lines of an axis from 0 to at least `most`, at most five steps of 1, 2 or 5 times a power of ten. */
export function ticksTo(most: number): number[] {
  if (!(most > 0)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most / 4))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each * 5 >= most) ?? most
  const steps = Math.ceil(most / step)
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** A value of a day in words, such as `1,250 USDC`; one transaction is no plural. */
export const inUnit = (value: string, unit: string): string =>
  exact(`${value} ${unit === 'transactions' && value === '1' ? 'transaction' : unit}`)
