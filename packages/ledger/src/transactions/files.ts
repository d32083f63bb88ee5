import { zoneOf } from '@payments/kernel'
import { exportCsv, FIRST_VALUE, type QueryContext, rangeIn } from '@payments/platform'
import type { z } from 'zod'
import { transactionsFile } from './books/formats.ts'
import { conditionsOf } from './conditions.ts'
import { type AllInput, bySettlement, exportOfAll, transactionsExport } from './export.ts'
import type { SearchExportInput } from './search-schemas.ts'

type FoundInput = z.output<typeof SearchExportInput>

/**
 * All transactions as a file of the chosen format.
 * @throws validation_failed 422 where fields do not fit the format
 */
export function exportAll(context: QueryContext, input: AllInput, signal: AbortSignal): AsyncGenerator<string> {
  const { format, currency, ...rest } = input
  const { customerId, from, to, timeZone = zoneOf(context.actor), settledFrom, settledTo, columns, bom } = rest
  const filters = { ...(customerId ? { customerId } : {}), ...rangeIn(timeZone, { from, to }) }
  const chosen = { format, currency, columns, bom: bom === 'true' }
  const rows = () => {
    const { source, range } = exportOfAll(context, rest)
    return exportCsv(context, source, range, signal)
  }
  return transactionsFile(
    context,
    { ...chosen, filters: { ...filters, timeZone, settledFrom, settledTo } },
    rows,
    signal,
  )
}

/**
 * What fits the filters as a file of the chosen format.
 * @throws validation_failed 422 where fields do not fit the format
 */
export function exportFound(context: QueryContext, input: FoundInput, signal: AbortSignal): AsyncGenerator<string> {
  const { format, currency, ...rest } = input
  const { columns, bom = false, ...filters } = rest
  return transactionsFile(
    context,
    { format, currency, columns, bom, filters },
    () => foundCsv(context, rest, signal),
    signal,
  )
}

/** As CSV, newest first, with the columns that are asked for. */
async function* foundCsv(
  context: QueryContext,
  { columns, timeZone, bom, settledFrom, settledTo, ...filters }: Omit<FoundInput, 'format' | 'currency'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { columns: every } = transactionsExport
  const names = columns ?? Object.keys(every)
  const settlement = bySettlement(context, { settledFrom, settledTo, timeZone })
  const source = {
    ...transactionsExport,
    ...(settlement ? { time: settlement.time } : {}),
    columns: Object.fromEntries(names.map((name) => [name, every[name] ?? ''])),
    filter: await conditionsOf(context, filters, FIRST_VALUE),
  }
  const range = { ...settlement?.range, ...(timeZone ? { timeZone } : {}), ...(bom ? { bom: 'true' as const } : {}) }
  yield* exportCsv(context, source, range, signal)
}
