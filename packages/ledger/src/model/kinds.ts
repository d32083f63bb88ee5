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

/** The kinds of transactions (specification, Transaction). The domain of a kind declares its receipt, and `allowKind` in its migration lets the table have it. */
export const transactionKinds = [
  'payment_route',
  'swap',
  'collection',
  'offramp',
  'onramp',
  'cngn_convert',
  'cngn_withdrawal',
  'cngn_payout',
  'cngn_payin',
  'cngn_deposit',
] as const
