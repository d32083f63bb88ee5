import type { AssetSymbol, ErrorFactory } from '@payments/kernel'
import type { UnitOfWork } from '@payments/platform'
import type { AccountKey } from './accounts.ts'
import { type Draft, type Posting, reversalOf, type Source } from './entries.ts'
import { errors } from './errors.ts'
import { findEntry } from './find-entry.ts'
import { type Outcome, post } from './post.ts'

const HOLD = 'reserve'

/** Money to be held for an object until it is known what becomes of it. Minor units, more than zero. */
export interface Hold {
  readonly source: Source
  readonly holder: { readonly asset: AssetSymbol; readonly customerId?: string | null }
  readonly amount: bigint
}

const account = (holder: Hold['holder'], purpose: 'available' | 'reserved'): AccountKey => ({ ...holder, purpose })

/** The entry of a hold, for whoever needs to know it before it is booked. */
export const holdDraft = ({ source, holder, amount }: Hold): Draft => ({
  source,
  step: HOLD,
  postings: [
    { account: account(holder, 'available'), amount: -amount },
    { account: account(holder, 'reserved'), amount },
  ],
})

/**
 * Moves money from available to reserved. An object has one hold.
 * @throws insufficient_balance 422 (or its stand-in from `instead`), entry_differs 409
 */
export async function reserve(unit: UnitOfWork, hold: Hold, instead: readonly ErrorFactory[] = []): Promise<Outcome> {
  const [outcome] = await post(unit, holdDraft(hold), instead)
  return outcome ?? 'repeated'
}

/**
 * Ends a hold by paying it out to `to`, whose amounts are above zero; what they leave goes back to available.
 * A hold ends once: capturing or releasing it again in another way is refused.
 * @throws entry_not_found 404 (no hold), entry_differs 409, insufficient_balance 422 (more than was held)
 */
export async function capture(
  unit: UnitOfWork,
  { source, to }: { source: Source; to: readonly Posting[] },
): Promise<Outcome> {
  const { holder, amount } = await holdOf(unit, source)
  const paid = to.reduce((sum, posting) => sum + posting.amount, 0n)
  if (paid > amount) throw errors.insufficient_balance()
  return end(unit, source, [
    { account: account(holder, 'reserved'), amount: -amount },
    { account: account(holder, 'available'), amount: amount - paid },
    ...to,
  ])
}

/**
 * Ends a hold by giving the money back.
 * @throws entry_not_found 404 (no hold), entry_differs 409 (it was captured)
 */
export async function release(unit: UnitOfWork, source: Source): Promise<Outcome> {
  const { holder, amount } = await holdOf(unit, source)
  return end(unit, source, [
    { account: account(holder, 'reserved'), amount: -amount },
    { account: account(holder, 'available'), amount },
  ])
}

/**
 * Takes a booked entry back, in an entry of its own that names it. An entry is reversed once; a hold is released instead.
 * @throws entry_not_found 404, entry_irreversible 409, insufficient_balance 422 (what it brought has been spent)
 */
export async function reverse(
  unit: UnitOfWork,
  { source, step, memo }: { source: Source; step: string; memo?: string },
): Promise<Outcome> {
  const [outcome] = await post(unit, reversalOf(await findEntry(unit, source, step), memo))
  return outcome ?? 'repeated'
}

// One step for both ends: the key of the journal lets only one of them happen.
const end = async (unit: UnitOfWork, source: Source, postings: readonly Posting[]): Promise<Outcome> =>
  (await post(unit, { source, step: `${HOLD}.end`, postings }))[0] ?? 'repeated'

async function holdOf(unit: UnitOfWork, source: Source): Promise<Pick<Hold, 'holder' | 'amount'>> {
  const { postings } = await findEntry(unit, source, HOLD)
  const held = postings.find((posting) => posting.account.purpose === 'reserved')
  if (!held) throw errors.entry_not_found()
  const { asset, customerId } = held.account
  return { holder: { asset, customerId: customerId ?? null }, amount: held.amount }
}
