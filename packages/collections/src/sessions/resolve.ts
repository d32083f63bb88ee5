import { invalid, isId } from '@payments/kernel'
import { move, type UnitOfWork, updateResource } from '@payments/platform'
import type { z } from 'zod'
import { lockedWithCollection } from '../collections/changes.ts'
import { emailPayer } from '../emails/emails.ts'
import { type CollectionRow, type SessionRow, sessionResource } from '../entity.ts'
import { errors } from '../errors.ts'
import { creditedAs, PAYABLE } from '../payments/arrivals.ts'
import { decidable, type Fields, fieldsOf, needsDecision } from '../payments/outcome.ts'
import type { SessionResolution } from '../schemas.ts'
import type { StoredPayment } from '../terms/rows.ts'
import { applyToCollection } from './payments/received.ts'
import { expectedUntil } from './sessions.ts'

/**
 * Records what the merchant decides about money that was delivered and does not count by itself, or is less than was asked for. No money moves:
 * it is in the merchant's wallet. What is counted makes the session paid, with its events, the receipt to its payer, and its collection.
 * @throws checkout_session_not_found 404, session_decided 409, session_still_payable 409, validation_failed 422 on `paymentId`
 */
export async function resolveSession(
  unit: UnitOfWork,
  { sessionId, action, paymentId, note }: z.output<typeof SessionResolution>,
): Promise<SessionRow> {
  const found = isId(sessionId) ? await lockedWithCollection(unit, 'id', sessionId) : undefined
  if (!found) throw errors.checkout_session_not_found()
  const { collection, session } = found
  const payment = chosen(session, paymentId)
  const { kind, userId } = unit.actor
  const resolution = { action, note: note ?? null, at: new Date().toISOString(), by: userId ?? kind }
  // The rest would pay the session, of which a part is gone.
  if (action === 'sent_back' && payment.counts && expectedUntil(session) > new Date())
    throw errors.session_still_payable()
  const decided = { ...payment, resolution, ...(action === 'counted' ? creditedAs(session, payment) : {}) }
  const payments = session.payments.map((each) => (each.id === payment.id ? decided : each))
  const fields = fieldsOf(session, payments)
  if (action !== 'counted' || session.status === 'paid')
    return updateResource(
      unit,
      sessionResource,
      session,
      { ...fields, needsDecision: needsDecision(session.status, payments) },
      'list',
    )
  const after = await pay(unit, collection, session, fields)
  await emailPayer(unit, collection, session, after, [])
  await applyToCollection(unit, collection, { before: session, after })
  return after
}

/** The payment that is meant: the given one, else the only one that is not decided. */
function chosen(session: SessionRow, paymentId: string | undefined): StoredPayment {
  const open = decidable(session)
  const among = paymentId === undefined ? open : open.filter(({ id }) => id === paymentId)
  const [payment, other] = among
  if (open.length === 0) throw errors.session_decided()
  if (!payment) throw invalid({ paymentId: 'No payment of this session that needs a decision has this id' })
  if (other) throw invalid({ paymentId: `Required: one of ${among.map(({ id }) => id).join(', ')}` })
  return payment
}

/** Moves a session to `paid`, through the states that lead there. */
async function pay(
  unit: UnitOfWork,
  collection: CollectionRow,
  session: SessionRow,
  fields: Fields,
): Promise<SessionRow> {
  const paidTwice = collection.type !== 'link' && collection.paymentsCount > 0
  const paid = {
    ...fields,
    paidAt: new Date(),
    paidTwice,
    paidOver: fields.paidOver || paidTwice,
    failureReason: null,
    needsDecision: needsDecision('paid', fields.payments),
  }
  const apply = async (event: (typeof sessionResource.machine.events)[number]) =>
    (await move(unit, sessionResource, session.id, event, errors.checkout_session_not_found, paid)).row
  if (['expired', 'underpaid', 'cancelled'].includes(session.status)) return apply('correct_to_paid')
  if (PAYABLE.includes(session.status)) await apply('receive')
  return apply('pay')
}
