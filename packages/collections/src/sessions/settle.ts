import { settleBankTransfer } from '@payments/fiat'
import { invalid } from '@payments/kernel'
import { actingFor, type UnitOfWork } from '@payments/platform'
import { type DepositSettlement, recordHiddenDeposit, settleHiddenDeposit } from '@payments/routes'
import type { z } from 'zod'
import { expireSession } from '../collections/changes.ts'
import { findSessionAnywhere } from '../collections/service.ts'
import type { SessionRow } from '../entity.ts'
import { errors } from '../errors.ts'
import type { SessionSettlement } from '../schemas.ts'
import { isRefundHeld } from '../terms/journal.ts'
import type { StoredPayment } from '../terms/rows.ts'

type Input = z.output<typeof SessionSettlement>

/**
 * Records the outcome of a payment to a session of any organisation, or ends a session that waits: with the states, events and balances
 * as if the provider had reported it.
 * @throws checkout_session_not_found 404, session_not_settleable 409, validation_failed 422 on `paymentId`, and those of a deposit's settlement
 */
export async function settleSession(
  unit: UnitOfWork,
  { sessionId, outcome, paymentId, ...given }: Input,
): Promise<{ before: SessionRow; session: SessionRow }> {
  const before = await findSessionAnywhere(unit, sessionId)
  if (outcome === 'expired') {
    const moved = await expireSession(actingFor(unit, before), before.id)
    if (moved.outcome === 'ignored') throw errors.session_not_settleable()
    return { before, session: moved.row }
  }
  const { txHash, amount, receivedAmount, refundedAmount, evidence } = given
  const settlement: DepositSettlement = {
    outcome,
    evidence,
    ...(txHash === undefined ? {} : { txHash }),
    ...(amount === undefined ? {} : { amount }),
    ...(receivedAmount === undefined ? {} : { receivedAmount }),
    ...(refundedAmount === undefined ? {} : { refundedAmount }),
  }
  // Money that no provider tells with its transaction.
  if (!paymentId && txHash && receivedAmount && isMissing(before.payments, txHash)) {
    await recordHiddenDeposit(unit, before.routeId, { ...settlement, txHash, receivedAmount })
    return { before, session: await findSessionAnywhere(unit, sessionId) }
  }
  const payment = chosen(before.payments, paymentId)
  if (payment.method === 'bank_transfer')
    await settleBankTransfer(unit, {
      orderId: payment.id,
      ...settlement,
      outcome: outcome === 'completed' ? 'delivered' : outcome,
    })
  else await settleHiddenDeposit(unit, payment.id, settlement)
  return { before, session: await findSessionAnywhere(unit, sessionId) }
}

/** No payment has this transaction, and none waits for one. */
const isMissing = (payments: readonly StoredPayment[], txHash: string): boolean =>
  !payments.some((payment) => payment.txHash === null || payment.txHash.toLowerCase() === txHash.toLowerCase()) &&
  !payments.some(isOpen)

const isOpen = (payment: StoredPayment): boolean =>
  isRefundHeld(payment) ||
  payment.status === 'pending' ||
  (payment.status === 'failed' && !payment.settled) ||
  (payment.short === true && !payment.settled)

/** The payment that is meant: the given one, else the only one that an operator has to settle, else the only one. */
function chosen(payments: readonly StoredPayment[], paymentId: string | undefined): StoredPayment {
  const open = payments.filter(isOpen)
  const among =
    paymentId === undefined ? (open.length > 0 ? open : payments) : payments.filter(({ id }) => id === paymentId)
  const [payment, other] = among
  if (!payment && paymentId === undefined) throw errors.session_not_settleable()
  if (!payment) throw invalid({ paymentId: 'No payment of this session has this id' })
  if (other) throw invalid({ paymentId: `Required: one of ${among.map(({ id }) => id).join(', ')}` })
  return payment
}
