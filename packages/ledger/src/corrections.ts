import { checkCustomer } from '@payments/customers'
import { type AssetSymbol, assets, newId, requestedAmount } from '@payments/kernel'
import { actingFor, type QueryContext, requireSecondOperator, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import type { AccountKey } from './accounts.ts'
import { reversalOf } from './entries.ts'
import { errors } from './errors.ts'
import { findEntry } from './find-entry.ts'
import { post } from './post.ts'
import { balance } from './reads.ts'
import type { EntryRef, SuspenseMove } from './schemas.ts'

/** Type of the source of entries that operators post. Entries of objects follow from the state of the object, and only from it. */
const CORRECTION = 'correction'

/**
 * Moves money of an organisation out of suspense. It never takes more than is there: nothing, of an organisation that does not exist.
 * @returns the id of the correction
 * @throws validation_failed 422, insufficient_balance 422, second_operator_required 403
 */
export async function resolveSuspense(unit: UnitOfWork, input: z.output<typeof SuspenseMove>): Promise<string> {
  const own = actingFor(unit, input)
  const asset = assets[input.asset as AssetSymbol]
  const amount = requestedAmount(input.amount, asset)
  requireSecondOperator(unit, asset, amount)
  const suspense: AccountKey = { purpose: 'suspense', asset: asset.symbol }
  const customerId = input.to === 'available' ? (input.customerId ?? null) : null
  const target: AccountKey = { purpose: input.to, asset: asset.symbol, customerId }
  await checkCustomer(own, customerId)
  if ((await balance(own, suspense)) < amount) throw errors.insufficient_balance()
  const id = newId()
  await post(own, {
    source: { type: CORRECTION, id },
    step: 'resolved',
    memo: input.reason,
    postings: [
      { account: suspense, amount: -amount },
      { account: target, amount },
    ],
  })
  // Another command may have taken the money since. The posting holds the account's lock, so nobody does any more.
  if ((await balance(own, suspense)) < 0n) throw errors.insufficient_balance()
  return id
}

/**
 * Reverses an entry that an operator posted.
 * @returns the correction to which it belongs
 * @throws entry_not_found 404, entry_of_object 409, entry_reversed 409, insufficient_balance 422, second_operator_required 403
 */
export async function reverseEntry(
  unit: UnitOfWork,
  { entryId, ...input }: z.output<typeof EntryRef>,
): Promise<string> {
  const own = actingFor(unit, input)
  const { type, id, step } = await sourceOf(own, entryId)
  if (type !== CORRECTION) throw errors.entry_of_object()
  const entry = await findEntry(own, { type, id }, step)
  for (const { account, amount } of entry.postings)
    if (amount > 0n) requireSecondOperator(unit, assets[account.asset], amount)
  const [outcome] = await post(own, reversalOf(entry, input.reason))
  if (outcome === 'repeated') throw errors.entry_reversed()
  return id
}

async function sourceOf(context: QueryContext, entryId: string) {
  const { organisationId, environment } = context.actor
  const { rows } = await sqlOf(context.em).query<{ type: string; id: string; step: string }>(
    `select source_type as type, source_id as id, step from ledger_entries
      where organisation_id = $1 and environment = $2 and id = $3`,
    [organisationId, environment, entryId],
  )
  if (!rows[0]) throw errors.entry_not_found()
  return rows[0]
}
