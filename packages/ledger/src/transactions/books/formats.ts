import { BYTE_ORDER_MARK, type QueryContext } from '@payments/platform'
import { bankHead, bankLines } from './bank-csv.ts'
import { type Chosen, checkFormat } from './format-fields.ts'
import { hledgerEntry, hledgerHead } from './hledger.ts'
import { type BookFilters, bookEntries } from './lines.ts'

/**
 * A file of transactions in the chosen format: `csv` is written by `rows`, the others from the books.
 * @throws validation_failed 422 where fields do not fit the format
 */
export async function* transactionsFile(
  context: QueryContext,
  chosen: Chosen & { readonly filters: BookFilters },
  rows: () => AsyncGenerator<string>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  checkFormat(chosen)
  const { format, currency = '', bom = false, filters } = chosen
  if (format === 'csv') {
    yield* rows()
    return
  }
  const batches = bookEntries(context, filters, signal)
  const isBank = format === 'bank_csv'
  const next = async () => {
    const batch = await batches.next()
    if (batch.done) return undefined
    return batch.value.map((entry) => (isBank ? bankLines(entry, currency, bom) : hledgerEntry(entry))).join('')
  }
  try {
    // The first batch is read before the head is sent, so that an error still has its own reply.
    const first = await next()
    yield isBank ? `${bom ? BYTE_ORDER_MARK : ''}${bankHead}` : hledgerHead
    for (let text = first; text !== undefined; text = await next()) if (text) yield text
  } finally {
    await batches.return(undefined)
  }
}
