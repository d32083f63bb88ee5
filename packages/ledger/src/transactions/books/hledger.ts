import { kindWords } from '../../model/kinds.ts'
import { amountOf, type BookEntry, type BookPosting } from './lines.ts'

/** The accounts with one name whatever the kind. hledger knows their types by the first word, and Equity:Conversion. */
const ACCOUNTS = {
  wallet: 'Assets:Wallet',
  balance: 'Assets:Balance',
  transit: 'Assets:In transit',
  held: 'Assets:On hold',
  fees: 'Expenses:Fees',
  conversion: 'Equity:Conversion',
} as const

export const hledgerHead = 'decimal-mark .\n'

const accountName = (kind: string, account: BookPosting['account']): string => {
  if (account === 'income') return `Income:${kindWords(kind)}`
  return account === 'expense' ? `Expenses:${kindWords(kind)}` : ACCOUNTS[account]
}

/** A text without what would end it: a line break, a comment, a further field. */
const plain = (text: string, ending: RegExp): string =>
  text
    .replace(ending, ' ')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
const wordsOf = (text: string): string => plain(text, /[;|]/g)

/** An entry as hledger reads it: its words are `payee | note`, and the reference is its code. */
export function hledgerEntry({ date, id, kind, later, customer, title, reference, postings }: BookEntry): string {
  const note = [kindWords(kind), wordsOf(title), later ? 'change after settlement' : ''].filter(Boolean).join(': ')
  const code = plain(reference, /[)]/g)
  // A code, even an empty one, comes first: a name in parentheses is not read as one.
  const head = `${date} * (${code}) ${wordsOf(customer) ? `${wordsOf(customer)} | ` : ''}${note}`
  const lines = postings.map(
    (each) => `    ${accountName(kind, each.account)}  ${amountOf(each)} ${commodity(each.asset)}`,
  )
  return `\n${[head, `    ; id:${id}, kind:${kind}`, ...lines].join('\n')}\n`
}

/** A commodity with other than letters in its name is quoted. */
const commodity = (symbol: string): string => (/^[A-Za-z]+$/.test(symbol) ? symbol : `"${symbol}"`)
