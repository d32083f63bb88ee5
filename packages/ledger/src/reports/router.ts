import { merchantProfile } from '@payments/accounts'
import { customerErrors } from '@payments/customers'
import { dayIn } from '@payments/kernel'
import { download, query } from '@payments/platform'
import { reportZone } from './days.ts'
import { paymentsCsv, paymentsPdf } from './payments/files.ts'
import { paymentsOf } from './payments/payments.ts'
import { Payments, PaymentsExportInput, PaymentsInput } from './payments/schemas.ts'
import { monthOf, periodOf } from './period.ts'
import { Daily, PeriodInput, Statement, StatementExportInput, StatementInput, Summary } from './schemas.ts'
import { statement } from './statement.ts'
import { statementCsv, statementPdf } from './statement-files.ts'
import { daily, summary } from './summary/summary.ts'

const TAG = 'Reports'

const todayIn = (zone: string): string => dayIn(zone, new Date())

export const reportsRouter = {
  summary: query({
    rest: 'GET /reports/summary',
    access: 'read',
    scans: true,
    tag: TAG,
    summary: 'Get the totals of a period',
    description:
      'Number, volume and success rate of the transactions that were created in the period, by kind, asset and status, the median time until they succeeded, and the fees that were charged in it; and the same of the period before. Exact but for the median, whose precision its fields name, and in UTC as quick however many transactions there are: days of another time zone are made of the transactions themselves.',
    message: 'Summary retrieved',
    input: PeriodInput,
    output: Summary,
    run: async (context, { timeZone, ...input }) => {
      const zone = await reportZone(context, timeZone)
      return summary(context, periodOf(input, todayIn(zone)), zone)
    },
  }),
  daily: query({
    rest: 'GET /reports/daily',
    access: 'read',
    scans: true,
    tag: TAG,
    summary: 'Get the totals of each day',
    description:
      'Number, volume and success rate of the transactions of each day of the period, by kind and asset, and the fees of each day. A transaction counts on the day on which it was created, in the time zone of the organisation unless another is asked for, with the status that it has now.',
    message: 'Days retrieved',
    input: PeriodInput,
    output: Daily,
    run: async (context, { timeZone, ...input }) => {
      const zone = await reportZone(context, timeZone)
      return daily(context, periodOf(input, todayIn(zone)), zone)
    },
  }),
  statement: query({
    rest: 'GET /reports/statement',
    access: 'read',
    scans: true,
    tag: TAG,
    summary: 'Get the statement of a balance',
    description:
      'Opening balance, what came, what left, fees and closing balance of a month, by asset, with a line for each day and kind that has the balance at the end of the day; equal to the journal to the unit. The service holds balances for customers with cNGN: other transactions pass through and have no balance here. What is reserved for a payment that is under way is part of the balance until it leaves.',
    message: 'Statement retrieved',
    input: StatementInput,
    output: Statement,
    run: async (context, { month, timeZone, ...of }) => {
      const zone = await reportZone(context, timeZone)
      return statement(context, monthOf(month, todayIn(zone)), zone, of)
    },
  }),
  exportStatement: download({
    rest: 'GET /reports/statement/export',
    access: 'read',
    tag: TAG,
    summary: 'Export the statement of a balance',
    description:
      'The statement of a month as a file: CSV with a row for each opening balance, line and closing balance, or PDF for people. The same numbers as the statement; the balance of a day is on its last line.',
    message: 'Statement exported',
    input: StatementExportInput,
    produces: 'csv',
    formats: ['csv', 'pdf'],
    formatOf: ({ format }) => format,
    filename: ({ month, format }) => `statement-${month ?? monthOf().from.slice(0, 7)}.${format}`,
    async *stream(context, { month, timeZone, format, ...of }, signal) {
      const zone = await reportZone(context, timeZone)
      const found = await statement(context, monthOf(month, todayIn(zone)), zone, of)
      if (format === 'csv') yield statementCsv(found)
      else {
        const { organisationId: owner, environment } = context.actor
        const { name } = await merchantProfile(context, owner)
        yield await statementPdf(found, { name, environment }, { owner, signal })
      }
    },
  }),
  payments: query({
    rest: 'GET /customers/{customerId}/payments',
    access: 'read',
    scans: true,
    tag: TAG,
    summary: 'Get the payments of a customer',
    description:
      'Every transaction that names the customer and was created in the period, with number, amount, fees and what was sent back, and the totals of each asset. Amounts are those of the list of transactions, fees those of the journal, both to the unit. At most 500 transactions: for more, shorten the period.',
    message: 'Payments retrieved',
    input: PaymentsInput,
    output: Payments,
    errors: [customerErrors.customer_not_found],
    run: async (context, { customerId, timeZone, ...period }) => {
      const zone = await reportZone(context, timeZone)
      return paymentsOf(context, periodOf(period, todayIn(zone)), zone, customerId)
    },
  }),
  exportPayments: download({
    rest: 'GET /customers/{customerId}/payments/export',
    access: 'read',
    tag: TAG,
    summary: 'Export the payments of a customer',
    description:
      'The statement of a customer’s payments as a file: CSV with a row for each transaction and one for the totals of each asset, or PDF for people. The same numbers as `GET /customers/{customerId}/payments`.',
    message: 'Payments exported',
    input: PaymentsExportInput,
    produces: 'csv',
    formats: ['csv', 'pdf'],
    formatOf: ({ format }) => format,
    errors: [customerErrors.customer_not_found],
    filename: (input) => {
      const { from, to } = periodOf(input)
      return `payments-${from}-${to}.${input.format}`
    },
    async *stream(context, { customerId, timeZone, format, ...period }, signal) {
      const zone = await reportZone(context, timeZone)
      const found = await paymentsOf(context, periodOf(period, todayIn(zone)), zone, customerId)
      if (format === 'csv') yield paymentsCsv(found)
      else {
        const { organisationId: owner, environment } = context.actor
        const { name } = await merchantProfile(context, owner)
        yield await paymentsPdf(found, { name, environment }, { owner, signal })
      }
    },
  }),
}
