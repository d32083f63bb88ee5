import type { AssetSymbol } from '@payments/kernel'
import type { AccountKey } from '../model/accounts.ts'
import type { Draft, Posting, Source } from './entries.ts'

/**
 * The accounts of an object. Money that is with a provider, or that it exchanges, is kept for each provider.
 * @param party the provider; undefined where the object's accounts are not told apart by provider
 */
export const accountsOf =
  (party?: string) =>
  (purpose: AccountKey['purpose'], asset: string, customerId?: string | null): AccountKey => ({
    purpose,
    asset: asset as AssetSymbol,
    ...(customerId ? { customerId } : {}),
    ...(party !== undefined && (purpose === 'clearing' || purpose === 'exchange') ? { party } : {}),
  })

/** The postings that change a balance: an entry has no others. */
export const nonZero = (postings: readonly Posting[]): Posting[] => postings.filter(({ amount }) => amount !== 0n)

/** The entries of one object. */
export const entryOf =
  (source: Source) =>
  (step: string, ...postings: Posting[]): Draft => ({ source, step, postings: nonZero(postings) })

/** An amount that leaves one account for another of the same asset. */
export const transfer = (amount: bigint, from: AccountKey, to: AccountKey): Posting[] => [
  { account: from, amount: -amount },
  { account: to, amount },
]

/** What must be posted so that accounts that hold `held` hold `wanted`. */
export function difference(wanted: readonly Posting[], held: readonly Posting[]): Posting[] {
  const sums = new Map<string, Posting>()
  const add = ({ account, amount }: Posting, sign: 1n | -1n) => {
    const { purpose, asset, party, customerId } = account
    // What is read back says null or nothing where a draft is silent.
    const key = [purpose, asset, party ?? '', customerId ?? ''].join('/')
    sums.set(key, { account, amount: (sums.get(key)?.amount ?? 0n) + sign * amount })
  }
  for (const each of wanted) add(each, 1n)
  for (const each of held) add(each, -1n)
  return nonZero([...sums.values()])
}
