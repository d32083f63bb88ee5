import { memberEmails, requireConfirmed } from '@payments/accounts'
import { errors as commonErrors, isId, rolesAllowed } from '@payments/kernel'
import { checkDestination } from '@payments/ledger'
import { type QueryContext, rowsAndTotal, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { TransferEntity, type TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { isInDoubt } from '../movements/sends/holds.ts'
import { queueSend } from '../movements/sends/send.ts'
import { presentApproval } from '../resources/present.ts'
import { fail, lockedTransfer, update } from '../resources/transfers.ts'
import type { PayoutApprovals, PayoutApprovalsInput } from '../schemas.ts'
import { type Requoted, requote } from './converts.ts'

const SHOWN = 200

/** Money out of the organisation that needs or needed a second person, the newest 200, and the exact number of all. */
export async function listApprovals(
  context: QueryContext,
  { status }: z.output<typeof PayoutApprovalsInput>,
): Promise<z.input<typeof PayoutApprovals>> {
  const found = await context.em.findAndCount(
    TransferEntity,
    { approvalStatus: status ?? { $ne: null } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: SHOWN, disableIdentityMap: true },
  )
  const { rows, total } = rowsAndTotal(found)
  const asked = rows.flatMap(({ approvalRequestedBy }) => approvalRequestedBy ?? [])
  const emails = context.actor.kind === 'session' ? await memberEmails(context, asked) : new Map<string, string>()
  return {
    approvals: rows.map((row) => ({
      ...presentApproval(row),
      requestedByEmail: emails.get(row.approvalRequestedBy ?? '') ?? null,
    })),
    total,
  }
}

/** @throws payout_approval_not_found 404 */
async function find({ em }: QueryContext, id: string): Promise<TransferRow> {
  const row = isId(id)
    ? await em.findOne(TransferEntity, { id, approvalStatus: { $ne: null } }, { disableIdentityMap: true })
    : null
  if (!row) throw errors.payout_approval_not_found()
  return row
}

const waits = ({ approvalStatus, approvalExpiresAt }: TransferRow): boolean =>
  approvalStatus === 'waiting' && (approvalExpiresAt?.getTime() ?? 0) > Date.now()

/**
 * The object of an approval that waits, locked: of answers at the same time, and the expiry, one wins.
 * @throws payout_approval_not_found 404, payout_approval_ended 409, payout_approval_in_doubt 409, payout_approval_own 403, and 403 for who may not
 * answer
 */
async function lockedWaiting(unit: UnitOfWork, id: string): Promise<TransferRow> {
  const { actor } = unit
  // The session of an operator is no member's.
  if (!rolesAllowed.finance.some((role) => role === actor.role)) throw commonErrors.finance_required()
  if (actor.environment === 'live') await requireConfirmed(unit)
  const { kind } = await find(unit, id)
  const row = await lockedTransfer(unit, kind, id)
  if (!waits(row)) throw errors.payout_approval_ended()
  if (row.approvalRequestedBy === actor.userId) throw errors.payout_approval_own()
  if (await isInDoubt(unit, row.id)) throw errors.payout_approval_in_doubt()
  return row
}

/**
 * What an approval needs to know first: a convert is offered anew, because its terms have expired since it was created. Before any transaction.
 * @throws payout_approval_not_found 404, payout_approval_ended 409, and the providers' 502 and 503
 */
export async function prepareApproval(
  context: QueryContext,
  { approvalId }: { readonly approvalId: string },
): Promise<Requoted | undefined> {
  const row = await find(context, approvalId)
  if (!waits(row)) throw errors.payout_approval_ended()
  return row.kind === 'convert' ? requote(context, row) : undefined
}

/**
 * Sends money out that waited for a second person, in the transaction that says who it was: once. The allow-list may have changed.
 * @throws as {@link lockedWaiting}; payout_destination_refused 422
 */
export async function approve(unit: UnitOfWork, id: string, prepared: Requoted | undefined): Promise<TransferRow> {
  const row = await lockedWaiting(unit, id)
  await checkDestination(unit, destinationOf(row))
  const next = await update(unit, row, {
    ...prepared,
    approvalStatus: 'approved',
    approvalDecidedBy: unit.actor.userId ?? null,
  })
  queueSend(unit, next)
  return next
}

/** Ends money out that waited for a second person: nothing was sent, and its money is in the balance again. @throws as {@link lockedWaiting} */
export async function reject(unit: UnitOfWork, id: string): Promise<TransferRow> {
  const row = await lockedWaiting(unit, id)
  return fail(unit, row, 'approval_rejected', {
    approvalStatus: 'rejected',
    approvalDecidedBy: unit.actor.userId ?? null,
  })
}

/** Where money goes, and the field that names it in the request that created it. */
function destinationOf(row: TransferRow): Parameters<typeof checkDestination>[1] {
  if (row.kind === 'payout') {
    const destination = { type: 'bank', bankCode: row.bankCode ?? '', accountNumber: row.accountNumber ?? '' } as const
    return { destination, field: 'bankAccount' }
  }
  const destination = { type: 'wallet', networkKey: row.networkKey ?? '', address: row.address ?? '' } as const
  return { destination, field: row.kind === 'convert' ? 'destinationAddress' : 'address' }
}
