import { CustomerRef } from '@payments/customers'
import { count, exampleId, items, personal } from '@payments/kernel'
import { amountBound, anyOf, createdFilters, nextPage, pageFields, timeZone } from '@payments/platform'
import { z } from 'zod'
import { transactionKinds } from '../model/kinds.ts'
import { TRANSACTION, Transaction } from '../model/schemas.ts'
import { formatFields } from './books/format-fields.ts'
import { exportColumns, settledFields } from './export.ts'

const EXAMPLE = exampleId(TRANSACTION)

/** What a transaction must be to be found: all that is named, and one of those in a list. */
const filters = {
  text: personal(
    z
      .string()
      .trim()
      .min(1)
      .max(200)
      .meta({
        description:
          'An id, a transaction hash, an address, a reference or an email address in full: of the transaction, of the payment route, collection or customer that it belongs to, or of the payer',
        example: 'ada@example.com',
      })
      .optional(),
  ),
  kinds: anyOf(z.enum(transactionKinds), 'Only these kinds', ['collection', 'swap']),
  statuses: anyOf(z.string().max(40), 'Only these statuses', ['paid', 'completed']),
  assets: anyOf(z.string().max(40), 'Only amounts of these assets', ['USDC']),
  networks: anyOf(z.string().max(40), 'Only where money comes from or goes to one of these networks', ['base']),
  customerId: CustomerRef.optional().meta({ description: 'Only transactions of this customer' }),
  amountFrom: amountBound('Only amounts of at least this much, of any asset', '10'),
  amountTo: amountBound('Only amounts of at most this much', '2500'),
  ...createdFilters,
}

export const TransactionFilters = z.strictObject(filters)
export type TransactionFilters = z.output<typeof TransactionFilters>

export const SearchInput = z
  .strictObject({
    ...filters,
    ...pageFields('transaction', EXAMPLE),
  })
  .meta({ example: { kinds: ['collection'], assets: ['USDC'], amountFrom: '10', limit: 50 } })

export const SearchPage = z.object({
  transactions: items('The transactions that fit, newest first', Transaction),
  total: count('Exact number of all that fit', 1204),
  next: nextPage(EXAMPLE),
})

export const SearchExportInput = z
  .strictObject({
    ...filters,
    columns: z
      .array(z.enum(exportColumns))
      .min(1)
      .max(exportColumns.length)
      .meta({ description: 'Columns of the file, in this order; default all', example: ['createdAt', 'amount'] })
      .optional(),
    timeZone,
    ...settledFields,
    ...formatFields,
    bom: z
      .boolean()
      .meta({
        description:
          'For spreadsheet programs: begin with a byte order mark, by which they read the file as UTF-8, and write identifiers that they would change into numbers or dates as `="0012"`',
        example: true,
      })
      .optional(),
  })
  .meta({ example: { kinds: ['collection'], columns: ['createdAt', 'amount', 'status'], timeZone: 'Africa/Lagos' } })
