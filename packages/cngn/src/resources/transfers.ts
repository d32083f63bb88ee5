import { type ErrorFactory, isId } from '@payments/kernel'
import { returnToLimit } from '@payments/ledger'
import { locked, move, newestAndTotal, type QueryContext, type UnitOfWork, updateResource } from '@payments/platform'
import { TransferEntity, type TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import type { Failure } from '../failure-reasons.ts'
import { CNGN, goesOut, type Kind } from '../kinds/kinds.ts'
import { corrected, credited, givenBack, paid } from '../money/journal.ts'
import { transferResources } from './resources.ts'

export const missing: Readonly<Record<Kind, ErrorFactory>> = {
  convert: errors.cngn_convert_not_found,
  withdrawal: errors.cngn_withdrawal_not_found,
  payout: errors.cngn_payout_not_found,
  payin: errors.cngn_payin_not_found,
  deposit: errors.cngn_deposit_not_found,
}

/** An object of a kind. @throws the kind's 404 */
export async function findTransfer(context: QueryContext, kind: Kind, id: string): Promise<TransferRow> {
  const row = isId(id) ? await context.em.findOne(TransferEntity, { id, kind }) : null
  if (!row) throw missing[kind]()
  return row
}

/** The newest 200 objects of a kind, of the organisation or of one customer, and the exact total. */
export const listTransfers = (context: QueryContext, kind: Kind, customerId: string | undefined) =>
  newestAndTotal(
    context,
    TransferEntity,
    customerId
      ? {
          where: 'kind = $3 and customer_id = $4',
          values: [kind, customerId],
          scopes: "scope = $3::text || ' ' || $4::uuid::text",
        }
      : { where: `kind = '${kind}'`, scopes: `scope = '${kind}'` },
  )

/** An object, locked until the transaction ends. */
export const lockedTransfer = (unit: UnitOfWork, kind: Kind, id: string): Promise<TransferRow> =>
  locked(unit, transferResources[kind], id, missing[kind])

/** Changes columns of a locked object without a change of its status: in the row and in the list of transactions, without an event. */
export const update = (
  unit: UnitOfWork,
  row: TransferRow,
  fields: Partial<Omit<TransferRow, 'status'>>,
): Promise<TransferRow> => updateResource(unit, transferResources[row.kind], row, fields)

const step = async (
  unit: UnitOfWork,
  row: TransferRow,
  event: 'process' | 'complete' | 'fail' | 'recover' | 'revoke',
  fields: Partial<TransferRow>,
) => move(unit, transferResources[row.kind], row.id, event, missing[row.kind], fields)

/** Money has arrived or was sent. What waited for a second person was approved, then: by whom, a restored database has forgotten. */
export const process = async (unit: UnitOfWork, row: TransferRow, fields: Partial<TransferRow> = {}) =>
  (
    await step(unit, row, 'process', {
      ...(row.approvalStatus === 'waiting' ? { approvalStatus: 'approved' as const } : {}),
      ...fields,
    })
  ).row

/** An object whose money was sent, or may have been, and that has not begun begins. */
export const begun = async (unit: UnitOfWork, row: TransferRow): Promise<TransferRow> =>
  row.status === 'pending' ? process(unit, row) : row

/** The end of a successful object, with its journal entry. Nothing happens to one that has ended. */
export async function complete(
  unit: UnitOfWork,
  row: TransferRow,
  fields: Partial<TransferRow> = {},
): Promise<TransferRow> {
  const { row: next, outcome } = await step(unit, row, 'complete', {
    ...fields,
    providerOutcome: null,
    attention: null,
  })
  if (outcome === 'moved') await (goesOut(next.kind, next.fromCurrency) ? paid(unit, next) : credited(unit, next))
  return next
}

/** The end of an object without success: what it reserved is free again, less what a provider kept of it (`kept`). */
export async function fail(
  unit: UnitOfWork,
  row: TransferRow,
  failureReason: Failure,
  { kept = 0n, ...fields }: Partial<TransferRow> & { kept?: bigint } = {},
): Promise<TransferRow> {
  const out = goesOut(row.kind, row.fromCurrency)
  const { row: next, outcome } = await step(unit, row, 'fail', {
    // As an operator settles it: it waits for no second person any more.
    ...(row.approvalStatus === 'waiting' ? { approvalStatus: 'rejected' as const } : {}),
    ...fields,
    ...(out ? { fee: kept } : {}),
    failureReason,
    providerOutcome: null,
    attention: null,
  })
  if (outcome === 'moved' && out) {
    // The limit before the accounts, as a new payout does it.
    if (next.limitDay) await returnToLimit(unit, { asset: CNGN, amount: next.amount ?? 0n, day: next.limitDay })
    await givenBack(unit, next, kept)
  }
  return next
}

/**
 * An object that had failed is completed after all, with the journal entry of the difference.
 * @throws cngn_insufficient_balance 422 when money went out whose refund the customer has spent
 */
export async function recover(
  unit: UnitOfWork,
  row: TransferRow,
  fields: Partial<TransferRow> = {},
): Promise<TransferRow> {
  const { row: next, outcome } = await step(unit, row, 'recover', {
    ...(goesOut(row.kind, row.fromCurrency) ? { fee: 0n } : {}),
    ...fields,
    failureReason: null,
    providerOutcome: null,
    attention: null,
    corrections: row.corrections + 1,
  })
  if (outcome === 'moved') await corrected(unit, row, next)
  return next
}

/**
 * A completed object failed after all, with the journal entry of the difference; a provider kept `kept` of what went out.
 * @throws cngn_insufficient_balance 422 when money came in that the customer has spent
 */
export async function revoke(
  unit: UnitOfWork,
  row: TransferRow,
  failureReason: Failure,
  { kept = 0n, ...fields }: Partial<TransferRow> & { kept?: bigint } = {},
): Promise<TransferRow> {
  const { row: next, outcome } = await step(unit, row, 'revoke', {
    ...fields,
    ...(goesOut(row.kind, row.fromCurrency) ? { fee: kept } : {}),
    failureReason,
    attention: null,
    corrections: row.corrections + 1,
  })
  if (outcome === 'moved') await corrected(unit, row, next)
  return next
}
