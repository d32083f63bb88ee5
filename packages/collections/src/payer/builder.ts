import type { Environment } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { type WalletTransactions, walletTransactions } from './provider.ts'

/** Who builds transactions on a network now; undefined: nobody. */
export const transactionBuilder = async (
  { runtime }: Pick<QueryContext, 'runtime'>,
  environment: Environment,
  networkKey: string,
): Promise<WalletTransactions | undefined> =>
  (await runtime.providers.inUse(walletTransactions, environment)).find((each) => each.networkKey === networkKey)
