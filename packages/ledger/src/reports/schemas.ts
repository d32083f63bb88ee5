import { CustomerRef } from '@payments/customers'
import { count, givenDate, items, text, timeZones } from '@payments/kernel'
import { z } from 'zod'
import { transactionKinds } from '../model/kinds.ts'

/** A day of the calendar. */
export const day = (description: string, example: string) => z.iso.date().meta({ description, example })
const givenDay = (description: string, example: string) => givenDate('2000').meta({ description, example })

export const timeZone = z
  .enum(timeZones)
  .meta({ id: 'TimeZone', description: 'IANA name of the time zone of the days', example: 'UTC' })

/** The time zone that is asked for. */
const givenZone = z
  .string()
  .max(64)
  .meta({ description: 'IANA name of the time zone of the days; default that of the organisation', example: 'UTC' })
  .optional()

export const PeriodInput = z.strictObject({
  from: givenDay('First day of the period; default 29 days before its last', '2026-01-01').optional(),
  to: givenDay('Last day of the period, at most 365 days after its first; default today', '2026-01-31').optional(),
  timeZone: givenZone,
})

const rate = text(
  'Fraction of the transactions that succeeded, of those that succeeded or failed; null while there is neither. What is under way, or expired before any money came, is not in it',
  '97/100',
).nullable()
const amount = text('Sum of the amounts, exact, in units of the asset', '1250.75')

const Numbers = {
  count: count('Number of transactions', 104),
  succeededCount: count('Number of those that succeeded', 97),
  failedCount: count('Number of those that failed: money was sent back, or needs an operator', 3),
  successRate: rate,
}
const Part = {
  kind: z.enum(transactionKinds).meta({ description: 'Kind of the transactions', example: 'collection' }),
  asset: text('Symbol of the asset', 'USDC'),
}
const Totals = {
  ...Part,
  ...Numbers,
  amount,
  succeededAmount: text('Sum of the amounts of those that succeeded', '1200.5'),
}

const seconds = (description: string) =>
  count(
    `${description}, in whole seconds from its creation until it first succeeded; above 99 seconds rounded down to two significant digits`,
    42,
  )
const fees = {
  kind: text('Kind of the objects whose fees they are; `adjustment` for an entry of an operator', 'offramp'),
  asset: text('Symbol of the asset of the fees', 'USDC'),
  amount: text('Fees that were charged, exact, less those that were returned', '12.5'),
}

const PeriodTotals = {
  from: day('First day', '2026-01-01'),
  to: day('Last day', '2026-01-31'),
  ...Numbers,
  totals: items('One for each kind and asset', z.object(Totals)),
  items: items(
    'One for each kind, asset and status',
    z.object({
      ...Part,
      status: text('Status that the transactions have now', 'paid'),
      count: count('Number of transactions', 97),
      amount,
    }),
  ),
  medianSecondsToSettle: seconds('Time of the median transaction').nullable().meta({
    description:
      'Time of the median transaction of those that succeeded, in whole seconds from its creation until it first succeeded; above 99 seconds rounded down to two significant digits; null while there is none',
  }),
  settlements: items(
    'One for each kind with a transaction that succeeded, also those that were sent back afterwards',
    z.object({
      kind: Part.kind,
      count: count('Number of the transactions', 97),
      medianSecondsToSettle: seconds('Time of the median transaction'),
    }),
  ),
  fees: items(
    'What was charged in the period, from the journal, by asset: also for transactions that were created before it',
    z.object({
      asset: fees.asset,
      amount: fees.amount,
      kinds: items('One for each kind', z.object({ kind: fees.kind, amount: fees.amount })),
    }),
  ),
}

export const Summary = z
  .object({
    timeZone,
    ...PeriodTotals,
    previous: z
      .object({ ...PeriodTotals, from: day('First day', '2025-12-01'), to: day('Last day', '2025-12-31') })
      .meta({ description: 'The period of the same length that ends the day before' }),
  })
  .meta({ id: 'ReportSummary', description: 'Totals of the transactions that were created in a period' })

export const Daily = z
  .object({
    timeZone,
    from: day('First day', '2026-01-01'),
    to: day('Last day', '2026-01-31'),
    days: items(
      'One for each day, kind and asset, oldest first; days without transactions are left out',
      z.object({ date: day('Day on which the transactions were created', '2026-01-15'), ...Totals }),
    ),
    fees: items(
      'What was charged on each day, from the journal: one for each day, kind and asset, oldest first',
      z.object({ date: day('Day of the postings', '2026-01-15'), ...fees }),
    ),
  })
  .meta({ id: 'ReportDaily', description: 'The transactions of each day of a period' })

export const StatementInput = z.strictObject({
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Must be a month, such as 2026-01')
    .meta({ description: 'Month of the statement; default this month', example: '2026-01' })
    .optional(),
  asset: text('Only the balance of this asset', 'cNGN').max(12).optional(),
  customerId: CustomerRef.optional().meta({
    description:
      'Only the balance of this customer; absent: those of the organisation and all of its customers together',
  }),
  timeZone: givenZone,
})

export const StatementExportInput = StatementInput.extend({
  format: z.enum(['csv', 'pdf']).default('csv').meta({ description: 'Type of the file', example: 'pdf' }),
})

const Movements = {
  in: text('What came, before fees', '5000'),
  out: text('What left, before fees', '1200'),
  fees: text('What was charged for both', '25.5'),
}

export const Statement = z
  .object({
    timeZone,
    from: day('First day', '2026-01-01'),
    to: day('Last day', '2026-01-31'),
    customerId: CustomerRef.nullable(),
    statements: items(
      'One for each asset that there ever was a balance of',
      z.object({
        asset: text('Symbol of the asset', 'cNGN'),
        openingBalance: text('Balance at the beginning of the first day', '1000'),
        ...Movements,
        closingBalance: text(
          'Balance at the end of the last day: opening balance and `in`, less `out` and `fees`',
          '4774.5',
        ),
        lines: items(
          'One for each day and kind, oldest first',
          z.object({
            date: day('Day of the postings', '2026-01-15'),
            kind: text(
              'Kind of the objects that moved the money; `adjustment` for an entry of an operator',
              'cngn_payin',
            ),
            ...Movements,
            balance: text('Balance at the end of the day, the same on all lines of a day', '4774.5'),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'ReportStatement', description: 'What the service held for customers, from the journal' })
