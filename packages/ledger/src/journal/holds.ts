import type { AssetSymbol, ErrorFactory } from '@payments/kernel'
import type { UnitOfWork } from '@payments/platform'
import { errors } from '../errors.ts'
import type { AccountKey } from '../model/accounts.ts'
import { type Draft, type Posting, reversalOf, type Source } from './entries.ts'
import { findEntry } from './find-entry.ts'
import { type Outcome, post, postWithCommit } from './post.ts'

const HOLD = 'reserve'

/** Money to reserve for an object until it is captured. Minor units, more than zero. */
export interface Hold {
  readonly source: Source
  readonly holder: { readonly asset: AssetSymbol; readonly customerId?: string | null }
  readonly amount: bigint
}

const account = (holder: Hold['holder'], purpose: 'available' | 'reserved'): AccountKey => ({ ...holder, purpose })

/** The entry of a hold, for callers that post it together with other entries. */
export const holdDraft = ({ source, holder, amount }: Hold): Draft => ({
  source,
  step: HOLD,
  postings: [
    { account: account(holder, 'available'), amount: -amount },
    { account: account(holder, 'reserved'), amount },
  ],
})

/**
 * Moves money from available to reserved, with the commit. An object has at most one hold.
 * @throws insufficient_balance 422 (or its replacement from `overrides`), entry_differs 409; when it is sent, see {@link postWithCommit}
 */
export const reserve = (unit: UnitOfWork, hold: Hold, overrides?: readonly ErrorFactory[]): Promise<void> =>
  postWithCommit(unit, holdDraft(hold), overrides)

/**
 * Ends a hold, with the commit, by paying the amounts in `to`, each above zero; the remainder is returned to available, which is all of it
 * when nothing is paid. A hold ends once: a second capture with other amounts is refused.
 * @throws entry_not_found 404 (no hold), insufficient_balance 422 (more than was held); entry_differs 409 when it is sent
 */
export async function capture(
  unit: UnitOfWork,
  { source, to }: { source: Source; to: readonly Posting[] },
): Promise<void> {
  const { holder, amount } = await holdOf(unit, source)
  const paid = to.reduce((sum, posting) => sum + posting.amount, 0n)
  if (paid > amount) throw errors.insufficient_balance()
  const postings = [
    { account: account(holder, 'reserved'), amount: -amount },
    { account: account(holder, 'available'), amount: amount - paid },
    ...to,
  ]
  return postWithCommit(unit, { source, step: `${HOLD}.end`, postings })
}

/**
 * Reverses a posted entry with a new entry that refers to it. An entry is reversed once; a hold is captured instead.
 * @throws entry_not_found 404, entry_irreversible 409, insufficient_balance 422 (the money has been spent)
 */
export async function reverse(
  unit: UnitOfWork,
  { source, step, memo }: { source: Source; step: string; memo?: string },
): Promise<Outcome> {
  const [outcome] = (await post(unit, reversalOf(await findEntry(unit, source, step), memo))) as [Outcome]
  return outcome
}

async function holdOf(unit: UnitOfWork, source: Source): Promise<Pick<Hold, 'holder' | 'amount'>> {
  const { postings } = await findEntry(unit, source, HOLD)
  const held = postings.find((posting) => posting.account.purpose === 'reserved')
  if (!held) throw errors.entry_not_found()
  const { asset, customerId } = held.account
  return { holder: { asset, customerId: customerId ?? null }, amount: held.amount }
}
