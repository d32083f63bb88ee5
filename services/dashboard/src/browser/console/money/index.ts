import { Account, Accounts, Ledger } from './ledger.tsx'
import { Suspense } from './suspense.tsx'
import { Treasury } from './treasury.tsx'

/** Where money is, and whether it is where the journal says. */
export const moneyScreens = [
  ['/ledger', Ledger],
  ['/ledger/accounts', Accounts],
  ['/ledger/accounts/:id', Account],
  ['/suspense', Suspense],
  ['/treasury', Treasury],
] as const
