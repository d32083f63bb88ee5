import { CustomerRef } from '@payments/customers'
import { count, items, pageSize, personal, text } from '@payments/kernel'
import { timeZone } from '@payments/platform'
import { z } from 'zod'
import { Transaction } from '../api/schemas.ts'
import { exportColumns } from './export.ts'
import { transactionKinds } from './kinds.ts'

const DECIMALS = 18

const Bound = z
  .string()
  .regex(new RegExp(`^\\d{1,20}(\\.\\d{1,${DECIMALS}})?$`), 'Must be a decimal amount as a string, like "12.50"')
const Time = z.iso.datetime({ offset: true })
const some = <T extends z.ZodType>(of: T, description: string, example: readonly string[]) =>
  z.array(of).min(1).max(40).meta({ description, example }).optional()

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
  kinds: some(z.enum(transactionKinds), 'Only these kinds', ['collection', 'swap']),
  statuses: some(z.string().max(40), 'Only these statuses', ['paid', 'completed']),
  assets: some(z.string().max(40), 'Only amounts of these assets', ['USDC']),
  networks: some(z.string().max(40), 'Only where money comes from or goes to one of these networks', ['base']),
  customerId: CustomerRef.optional().meta({ description: 'Only transactions of this customer' }),
  amountFrom: Bound.meta({ description: 'Only amounts of at least this much, of any asset', example: '10' }).optional(),
  amountTo: Bound.meta({ description: 'Only amounts of at most this much', example: '2500' }).optional(),
  from: Time.meta({ description: 'Created at this time or later', example: '2026-01-01T00:00:00Z' }).optional(),
  to: Time.meta({ description: 'Created before this time', example: '2027-01-01T00:00:00Z' }).optional(),
}

export const TransactionFilters = z.strictObject(filters)
export type TransactionFilters = z.output<typeof TransactionFilters>

export const SearchInput = z
  .strictObject({
    ...filters,
    before: z
      .string()
      .max(64)
      .meta({
        description: 'Begin after the transaction with this id: `next` of the page before',
        example: '01936f2a-7c1e-7000-8000-000000000030',
      })
      .optional(),
    limit: pageSize,
  })
  .meta({ example: { kinds: ['collection'], assets: ['USDC'], amountFrom: '10', limit: 50 } })

export const SearchPage = z.object({
  transactions: items('The transactions that fit, newest first', Transaction),
  total: count('Exact number of all that fit', 1204),
  next: text('`before` of the next page; null on the last', '01936f2a-7c1e-7000-8000-000000000030').nullable(),
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
  })
  .meta({ example: { kinds: ['collection'], columns: ['createdAt', 'amount', 'status'], timeZone: 'Africa/Lagos' } })
