import type { AnyKind } from '../kind.ts'
import { cngnDeposits, converts, payins, payouts, withdrawals } from './cngn.tsx'
import { offramps, onramps, swaps } from './orders.tsx'
import { deposits, paymentRoutes } from './routes.tsx'

/** Kinds with a list. */
export const kinds: readonly AnyKind[] = [
  paymentRoutes,
  swaps,
  offramps,
  onramps,
  payins,
  payouts,
  converts,
  withdrawals,
  cngnDeposits,
]

/** Every kind that an id may be of. */
export const allKinds: readonly AnyKind[] = [...kinds, deposits]
