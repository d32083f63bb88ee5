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
