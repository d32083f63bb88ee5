import { kindDeclarations, type TransactionKind } from '@payments/kernel'
import { domainsOf, type ReceiptDeclaration, type Runtime } from '@payments/platform'

type Receipts = Readonly<Record<string, ReceiptDeclaration>>

/** By the list of the domains: the receipts are looked up with every change of an object. */
const known = new WeakMap<Runtime['domains'], Receipts>()

/** What the domains declare of the receipts of their kinds of transactions. */
export function receiptsOf(runtime: Pick<Runtime, 'domains'>): Receipts {
  const domains = domainsOf(runtime)
  const receipts = known.get(domains) ?? Object.assign({}, ...domains.map(({ money }) => money?.receipts))
  known.set(domains, receipts)
  return receipts
}

/** The kinds of transactions. The domain of a kind declares its receipt, and `allowKind` in its migration lets the table have it. */
export const transactionKinds = Object.keys(kindDeclarations) as unknown as readonly [
  TransactionKind,
  ...TransactionKind[],
]

/** `cngn_payin` as `cNGN payin`. */
export const kindWords = (kind: string): string => {
  const text = kind.replaceAll('_', ' ').replace(/^cngn/, 'cNGN')
  return text.startsWith('cNGN') ? text : text.charAt(0).toUpperCase() + text.slice(1)
}
