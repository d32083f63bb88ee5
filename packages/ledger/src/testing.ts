import { newId, type Read, type Runtime, reader, system, unitOfWork, type Work } from '@payments/kernel'
import type { AccountKey } from './accounts.ts'
import type { Draft, Source } from './entries.ts'

/** The ledger of one organisation's test environment, as its own service would use it: for tests and benchmarks. */
export function bookOf(runtime: Runtime, organisationId: string) {
  const actor = system(organisationId, 'test')
  return {
    read: (): Read => reader(runtime, actor),
    do: <T>(verb: (work: Work) => Promise<T>): Promise<T> => unitOfWork({ runtime, actor, log: runtime.log }, verb),
  }
}

/** An object that is in no list. */
export const someSource = (): Source => ({ type: 'adjustment', id: newId() })

/** Organisation's own account. */
export const own = (purpose: AccountKey['purpose'], party = ''): AccountKey => ({ purpose, asset: 'USDC', party })

/** An entry that moves an amount from one account to another. */
export const transfer = (from: AccountKey, to: AccountKey, amount: bigint, source = someSource()): Draft => ({
  source,
  step: 'moved',
  postings: [
    { account: from, amount: -amount },
    { account: to, amount },
  ],
})
