import { type AssetSymbol, assets, invalid } from '@payments/kernel'
import type { Produces } from '@payments/platform'
import { z } from 'zod'

const formats = ['csv', 'bank_csv', 'hledger'] as const

/** The input of an export that may be of the books. */
export const formatFields = {
  format: z.enum(formats).default('csv').meta({
    description:
      '`csv`: a row for each transaction. `bank_csv`: a bank statement of one `currency` for accounting programs, with the columns Date, Amount, Payee, Description and Reference. `hledger`: a journal of double-entry bookkeeping. The last two have what has settled alone, on its day in `timeZone`; later returns have lines of their own, and `settledFrom` and `settledTo` are of the day of a line',
    example: 'csv',
  }),
  currency: z
    .enum(Object.keys(assets) as [AssetSymbol, ...AssetSymbol[]])
    .meta({ description: 'Currency of a `bank_csv`, which has one' })
    .optional(),
}

/** What a caller chose of a file. */
export interface Chosen {
  readonly format: (typeof formats)[number]
  readonly currency?: AssetSymbol | undefined
  readonly columns?: unknown
  readonly bom?: boolean
}

/** The media type of a format. */
export const typeOf = ({ format }: Pick<Chosen, 'format'>): Produces => (format === 'hledger' ? 'text' : 'csv')

/** The name of the file. */
export const filenameOf = ({ format, currency }: Pick<Chosen, 'format' | 'currency'>): string =>
  format === 'hledger'
    ? 'transactions.journal'
    : format === 'bank_csv'
      ? `transactions-${currency}.csv`
      : 'transactions.csv'

/** @throws validation_failed 422 that names each field that the format needs, or does not have */
export function checkFormat({ format, currency, columns, bom }: Chosen): void {
  const wrong = {
    ...(format === 'bank_csv' && currency === undefined ? { currency: 'Required for the format bank_csv' } : {}),
    ...(format !== 'bank_csv' && currency !== undefined ? { currency: 'Only for the format bank_csv' } : {}),
    ...(format !== 'csv' && columns !== undefined ? { columns: 'Only for the format csv' } : {}),
    ...(format === 'hledger' && bom ? { bom: 'Not for the format hledger' } : {}),
  }
  if (Object.keys(wrong).length > 0) throw invalid(wrong)
}
