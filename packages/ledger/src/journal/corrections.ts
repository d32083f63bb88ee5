import { checkCustomer } from '@payments/customers'
import { type AssetSymbol, assets, newId, requestedAmount } from '@payments/kernel'
import { actingFor, type QueryContext, requireSecondOperator, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import type { AccountKey } from '../model/accounts.ts'
import type { EntryRef, SuspenseMove } from '../model/schemas.ts'
import { reversalOf } from './entries.ts'
import { findEntry } from './find-entry.ts'
import { post } from './post.ts'
import { balance } from './reads.ts'

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
  await requireSecondOperator(unit, asset, amount)
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
  await checkSuspense(own, asset.symbol)
  return id
}

/**
 * No more was taken out of an organisation's suspense than was there: whatever takes money out calls it after its posting, which holds
 * the lock of the account. So what arrived leaves suspense once, whichever command takes it.
 * @throws insufficient_balance 422
 */
export async function checkSuspense(context: QueryContext, asset: AssetSymbol): Promise<void> {
  if ((await balance(context, { purpose: 'suspense', asset })) < 0n) throw errors.insufficient_balance()
}

/**
 * For a command that changes what an object had put into suspense: it must not take out what an entry of an operator has moved already.
 * @returns what is called after the command's postings. Throws suspense_moved 409 where less is there than they took
 */
export async function guardSuspense(context: QueryContext, symbols: readonly string[]): Promise<() => Promise<void>> {
  const known = [...new Set(symbols)].filter((symbol): symbol is AssetSymbol => symbol in assets)
  const read = (asset: AssetSymbol) => balance(context, { purpose: 'suspense', asset })
  const before = new Map<AssetSymbol, bigint>()
  for (const asset of known) before.set(asset, await read(asset))
  return async () => {
    for (const asset of known) {
      const left = await read(asset)
      if (left < 0n && left < (before.get(asset) ?? 0n)) throw errors.suspense_moved()
    }
  }
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
    if (amount > 0n) await requireSecondOperator(unit, assets[account.asset], amount)
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
