import { domainsOf, type ReceiptDeclaration, type Runtime } from '@payments/platform'

/** What the domains declare of the receipts of their kinds of transactions. */
export const receiptsOf = (runtime: Pick<Runtime, 'domains'>): Readonly<Record<string, ReceiptDeclaration>> =>
  Object.assign({}, ...domainsOf(runtime).map(({ money }) => money?.receipts))

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
