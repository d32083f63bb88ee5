import type { HiddenPaymentReceiver } from '@payments/fiat'
import { type Draft, postWithCommit } from '@payments/ledger'
import { moveLocked, platformSettings, type UnitOfWork, updateResource } from '@payments/platform'
import type { HiddenDepositReceiver } from '@payments/routes'
import { lockedWithCollection } from '../../collections/changes.ts'
import { emailPayer } from '../../emails/emails.ts'
import { notifyMerchant } from '../../emails/notices.ts'
import { type CollectionRow, type SessionRow, sessionResource } from '../../entity.ts'
import { arrivalOf, isFinal, merge, PAYABLE, type PaymentChange } from '../../payments/arrivals.ts'
import {
  bringsAmounts,
  bringsMoney,
  correctedStatus,
  type Fields,
  fieldsOf,
  isCorrection,
  isShort,
  needsDecision,
  outcomeOf,
  reasonOf,
} from '../../payments/outcome.ts'
import { journalDraft } from '../../terms/journal.ts'
import type { Arrival } from '../../terms/rows.ts'
import { arrivalOfTransfer } from '../../terms/transfers.ts'
import { expectedUntil } from '../sessions.ts'
import { applyToCollection } from './received.ts'

/**
 * Applies deposits to the session that its hidden route belongs to, in the transaction that records them: the session's
 * amounts and status, its collection, one journal entry for each final deposit, and the transaction, events and
 * notifications that follow. The same deposit again changes nothing.
 */
export const receiver: HiddenDepositReceiver = {
  async apply(unit, routeId, deposits) {
    const found = await lockedWithCollection(unit, 'route_id', routeId)
    if (!found) throw new Error(`No session has the hidden route ${routeId}`)
    const { collection, session } = found
    const arrivals = deposits.map((deposit) => arrivalOf(session, deposit))
    return applyToSession(unit, collection, session, arrivals)
  },
}

/** The same for the payment to a bank account that a session has given, in the transaction that records it. */
export const transferReceiver: HiddenPaymentReceiver = {
  async apply(unit, payment) {
    const found = await lockedWithCollection(unit, 'id', payment.ownerId)
    if (!found) throw new Error(`There is no session ${payment.ownerId} of the onramp ${payment.id}`)
    const { collection, session } = found
    // An operator says that nothing came, and the session never heard of anything.
    if (payment.received === 0n && !session.payments.some(({ id }) => id === payment.id)) return
    await applyToSession(unit, collection, session, [arrivalOfTransfer(session, payment)])
  },
}

async function applyToSession(
  unit: UnitOfWork,
  collection: CollectionRow,
  session: SessionRow,
  arrivals: readonly Arrival[],
): Promise<Date> {
  const { DELIVERY_TOLERANCE_PERCENT: tolerance } = platformSettings.from(unit.runtime.settings)
  const merged = merge(session, arrivals, tolerance)
  if (merged.changes.length === 0) return expectedUntil(session)
  const fields = fieldsOf(session, merged.payments)
  // What another session has paid already is paid twice by this one.
  const paidTwice = collection.type !== 'link' && collection.paymentsCount > 0
  const after = await advance(unit, session, fields, { ...merged, paidTwice })
  await emailPayer(unit, collection, session, after, merged.changes)
  await notifyMerchant(unit, collection, { before: session, after, changes: merged.changes })
  await applyToCollection(unit, collection, { before: session, after })
  await postWithCommit(
    unit,
    merged.changes.flatMap(({ before, after: payment }): Draft[] => {
      // A name of its own, of at most 40 characters, for each change after the first end.
      const again = payment.changes ? [`c${payment.changes}.${payment.id.replaceAll('-', '')}`] : []
      return [journalDraft(session, payment, before, ...again)].flatMap((draft) => draft ?? [])
    }),
  )
  return expectedUntil(after)
}

/** Moves the session through every state that its payments lead to. */
async function advance(
  unit: UnitOfWork,
  session: SessionRow,
  fields: Fields,
  { changes, paidTwice }: { readonly changes: readonly PaymentChange[]; readonly paidTwice: boolean },
): Promise<SessionRow> {
  let row = session
  const apply = async (event: (typeof sessionResource.machine.events)[number], more: Partial<SessionRow> = {}) => {
    const status = sessionResource.machine.step(row.status as never, event) ?? row.status
    const decision = { needsDecision: needsDecision(status, fields.payments) }
    row = (await moveLocked(unit, sessionResource, row, event, { ...fields, ...decision, ...more })).row
  }
  const paid = () => ({ paidAt: new Date(), paidTwice, paidOver: fields.paidOver || paidTwice })
  const corrects = changes.some(isCorrection)
  if (PAYABLE.includes(row.status) && changes.some(bringsMoney)) await apply('receive', { failureReason: null })
  const outcome = outcomeOf(row, fields)
  if (row.status === 'processing' && outcome) {
    if (outcome === 'pay') await apply('pay', paid())
    else await apply(outcome, outcome === 'fail' ? { failureReason: reasonOf(fields.payments) } : {})
  } else if (row.status === 'failed' && outcome === 'return') await apply('return', { failureReason: null })
  else if (corrects) {
    const status = correctedStatus(row, fields)
    if (status !== row.status)
      await apply(`correct_to_${status}` as typeof outcome & string, {
        ...(status === 'paid' ? paid() : { paidAt: null, paidTwice: false, paidOver: overpaid(row, fields) }),
        failureReason: status === 'failed' ? reasonOf(fields.payments) : null,
      })
  }
  if (row !== session) return row
  // Money that changes no status: too much, too late, in another currency, stuck, or no longer there. What was sent back needs no event.
  const ended = changes.filter(({ after }) => isFinal(after))
  const stuck = ended.some(({ after }) => isShort(after) || (after.status === 'failed' && !after.settled))
  const kept = ended.some(bringsAmounts)
  const gone = ended.some(({ before, after }) => before?.status === 'completed' && after.status !== 'completed')
  const isTold = stuck || gone || (kept && row.status !== 'processing')
  const decided = { ...fields, needsDecision: needsDecision(row.status, fields.payments) }
  return updateResource(unit, sessionResource, row, decided, corrects ? 'correction' : isTold ? 'event' : 'list')
}

/** Without what another session has paid. */
const overpaid = (row: SessionRow, { payments }: Fields): boolean =>
  fieldsOf({ ...row, paidTwice: false }, payments).paidOver
