import {
  assets,
  endOfDay,
  givenTimeOrDate,
  invalid,
  isTimeZone,
  startOfDay,
  UNKNOWN_ZONE,
  zoneOf,
} from '@payments/kernel'
import { z } from 'zod'
import type { QueryContext } from '../../operations/context/context.ts'
import { readSnapshot } from '../../transactions/snapshot.ts'
import { inTurn } from '../../work/in-turn.ts'
import { csvRecord, spreadsheetText } from './csv.ts'

/** Where time zones ahead of UTC are already in year 1, UTC is in year 0, which PostgreSQL does not read. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z')

const beginningOf = (timeZone: string, day: string): string =>
  new Date(Math.max(FIRST_TIME, startOfDay(timeZone, day).getTime())).toISOString()

/** The first time of a range, and the first after it: a day that ends a range is in it. */
export const rangeIn = (
  timeZone: string,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): { readonly from?: string; readonly to?: string } => ({
  ...(from === undefined ? {} : { from: from.includes('T') ? from : beginningOf(timeZone, from) }),
  ...(to === undefined
    ? {}
    : { to: to.includes('T') ? to : new Date(endOfDay(timeZone, to).getTime() + 1).toISOString() }),
})

const timeFrom = (what: string) =>
  givenTimeOrDate
    .meta({
      description: `${what} at this time or later; a date is the beginning of that day in \`timeZone\``,
      example: '2026-01-01T00:00:00Z',
    })
    .optional()
const timeTo = (what: string) =>
  givenTimeOrDate
    .meta({
      description: `${what} before this time; a date is the end of that day in \`timeZone\``,
      example: '2026-02-01T00:00:00Z',
    })
    .optional()

/** The range of a further time, as two fields whose names begin with `name`. */
export const timeRange = <const Name extends string>(name: Name, what: string) =>
  ({ [`${name}From`]: timeFrom(what), [`${name}To`]: timeTo(what) }) as {
    [Field in `${Name}From`]: ReturnType<typeof timeFrom>
  } & { [Field in `${Name}To`]: ReturnType<typeof timeTo> }

/** The time zone of the times in a file. */
export const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, UNKNOWN_ZONE)
  .meta({
    description: 'Time zone of the times in the file; default that of the organisation',
    example: 'Africa/Lagos',
  })
  .optional()

/** The input of every export. `what` happened in the time range, for example `Created`. */
export const exportInput = (what: string) =>
  z.strictObject({
    from: timeFrom(what),
    to: timeTo(what),
    customerId: z
      .uuid()
      .meta({ description: 'Only records of this customer', example: '01936f2a-7c1e-7000-8000-000000000020' })
      .optional(),
    timeZone,
    bom: z
      .enum(['true', 'false'])
      .meta({
        description:
          'For spreadsheet programs: begin with a byte order mark, by which they read the file as UTF-8, and write identifiers that they would change into numbers or dates as `="0012"`',
        example: 'true',
      })
      .optional(),
    columns: z
      .string()
      .max(1000)
      .meta({
        description: 'Columns of the file, in this order, separated by commas; default all',
        example: 'id,status',
      })
      .optional(),
  })

type ExportRange = z.output<ReturnType<typeof exportInput>>

/** Columns of numbers, by the ends of their names; what is in the others is text. */
const NUMBERS = /(amount|amountUsd|value|fees?|price|subtotal|tax|discount|rate|count)$/i

/** @throws validation_failed 422 on `columns`, by the first that the file does not have */
function chosenColumns(all: readonly string[], chosen: string | undefined): readonly string[] {
  if (chosen === undefined) return all
  const names = [...new Set(chosen.split(',').map((name) => name.trim()))]
  const unknown = names.find((name) => !all.includes(name))
  if (unknown !== undefined) throw invalid({ columns: `Unknown column "${unknown}": one of ${all.join(', ')}` })
  return names
}

/** By it spreadsheet programs read a file as UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff'

/** What an export reads. All parts are SQL of the code, never of a caller. */
export interface ExportSource {
  /** The rows, as `<table> t` with joins; `t` has `id`, `organisation_id` and `environment`. */
  readonly from: string
  /** SQL that leaves rows out. */
  readonly where?: string
  /** The time by which rows are chosen and sorted, for example `t.created_at`; an index with the tenant serves it. */
  readonly time: string
  /** Expression of the customer's id. */
  readonly customer: string
  /** Heading of each column and its expression. */
  readonly columns: Readonly<Record<string, string>>
  /** SQL over `t` that leaves rows out, with placeholders from {@link FIRST_VALUE} on for `values`. */
  readonly filter?: { readonly sql: string; readonly values: readonly unknown[] }
}

/** The number of the first placeholder of a filter. */
export const FIRST_VALUE = 6

/** SQL: a time as ISO 8601 with milliseconds and the offset of the export's time zone. */
export const exportedTime = (expression: string): string =>
  `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.MSTZH:TZM')`

const decimals = Object.values(assets)
  .map(({ symbol, decimals }) => `when '${symbol}' then ${decimals}`)
  .join(' ')

/** SQL: minor units as decimal text, exactly. `symbol` is an expression of the asset's symbol. */
export const exportedAmount = (units: string, symbol: string): string =>
  // A product is exact; a quotient would be rounded.
  `trim_scale(${units} * ('1e-' || case ${symbol} ${decimals} end)::numeric)::text`

const NO_FILTER = { sql: 'true', values: [] }

/**
 * The actor's rows of a source as CSV, newest first, from one snapshot of the database.
 * @throws organisation_busy 429 when too many exports of the organisation are running in this process, busy 503 when too many of all are
 */
export async function* exportCsv(
  context: QueryContext,
  { from: table, where = 'true', time, customer, columns, filter = NO_FILTER }: ExportSource,
  { customerId, timeZone = zoneOf(context.actor), bom, columns: chosen, ...range }: ExportRange,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { actor } = context
  const { from, to } = rangeIn(timeZone, range)
  const names = chosenColumns(Object.keys(columns), chosen)
  const cellOf = (name: string, text: string | null) =>
    bom === 'true' && text !== null && !NUMBERS.test(name) ? spreadsheetText(text) : text
  const own = [actor.organisationId, actor.environment, from ?? null, to ?? null, customerId ?? null]
  const values = [...own, ...filter.values]
  // The order is fixed, so that one index serves the tenant, the time range and the order.
  const text = `select ${names.map((name) => `${columns[name]} as "${name}"`).join(', ')} from ${table}
     where t.organisation_id = $1 and t.environment = $2 and ${where}
       and ($3::timestamptz is null or ${time} >= $3) and ($4::timestamptz is null or ${time} < $4)
       and ($5::uuid is null or ${customer} = $5) and ${filter.sql}
     order by ${time} desc, t.id desc`
  const query = { organisationId: actor.organisationId, text, values, timeZone }
  const batches = readSnapshot<Record<string, string | null>>(context, query, signal)
  const next = () =>
    inTurn(async () => {
      const batch = await batches.next()
      return batch.done
        ? undefined
        : batch.value.map((row) => csvRecord(names.map((name) => cellOf(name, row[name] ?? null)))).join('')
    })
  try {
    // The first batch is read before the heading is sent, so that an error still has its own reply.
    const first = await next()
    yield `${bom === 'true' ? BYTE_ORDER_MARK : ''}${csvRecord(names)}`
    for (let text = first; text !== undefined; text = await next()) yield text
  } finally {
    // A client that leaves ends this generator, and nothing else would end the one that it reads.
    await batches.return(undefined)
  }
}
