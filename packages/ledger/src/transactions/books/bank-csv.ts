import { csvRecord, spreadsheetText } from '@payments/platform'
import { kindWords } from '../../model/kinds.ts'
import { amountOf, type BookEntry, type BookPosting, isAsset } from './lines.ts'

/** The columns that Xero reads by their order, and QuickBooks by their names. */
const HEADINGS = ['Date', 'Amount', 'Payee', 'Description', 'Reference'] as const

export const bankHead: string = csvRecord(HEADINGS)

/**
 * The lines of one currency: what came to, or left, what the organisation has, with fees on lines of their own. An entry that changes none of
 * it in the currency has no line: the other side of a payment that arrived in another currency, or naira that an offramp paid out.
 */
export function bankLines(entry: BookEntry, currency: string, spreadsheet: boolean): string {
  const own = entry.postings.filter(({ asset }) => asset === currency)
  const change = own.filter(({ account }) => isAsset(account)).reduce((sum, { units }) => sum + units, 0n)
  if (change === 0n) return ''
  return own
    .filter(({ account }) => !isAsset(account))
    .map((posting) => {
      const cells = [entry.customer, descriptionOf(entry, posting), entry.reference || entry.id]
      const text = spreadsheet ? cells.map(spreadsheetText) : cells
      return csvRecord([entry.date, amountOf({ ...posting, units: -posting.units }), ...text])
    })
    .join('')
}

const descriptionOf = ({ kind, title, later }: BookEntry, { account }: BookPosting): string =>
  [account === 'fees' ? `${kindWords(kind)} fee` : kindWords(kind), title, later ? 'change after settlement' : '']
    .filter(Boolean)
    .join(': ')
