import { sqlOf, type UnitOfWork } from '@payments/platform'
import { PollEntity } from '../entities/entity.ts'
import { errors } from '../errors.ts'
import { POLL, SOON_SECONDS } from '../orders/schedule.ts'
import { fiatProvider, type SimulatedPayment } from '../provider/provider.ts'

/** The payer's money arrives at the sandbox provider, in the caller's transaction, and the order is polled at once. @throws sandbox_order_closed 409 */
export async function simulateMoney(unit: UnitOfWork, payment: SimulatedPayment): Promise<void> {
  const provider = unit.runtime.providers.sandbox(fiatProvider)
  if (!(await provider.simulatePayment(sqlOf(unit.em), payment))) throw errors.sandbox_order_closed()
  await unit.em.nativeUpdate(
    PollEntity,
    { id: payment.reference },
    { nextPollAt: new Date(), pollSeconds: SOON_SECONDS },
  )
  unit.afterCommit(() => unit.runtime.trigger(POLL))
}
