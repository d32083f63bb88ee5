import { system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { endingsContract, newMerchant, newOfframp, newOnramp, type Stage, useService } from '#testing'
import { reportOf } from '../test/orders.ts'
import { operators } from './operators/operators.ts'
import { applyPoll } from './polling/polls.ts'
import type { Direction, OrderReport } from './provider/provider.ts'

const service = useService({ settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' } })

const refund = (status: 'pending' | 'completed' | 'failed') => ({ status, amount: null, txHash: null })

/** An order after these reports, in this order. */
const after =
  (direction: Direction, ...reports: Partial<OrderReport>[]): Stage =>
  async (outcome) => {
    const merchant = await newMerchant(service)
    const { id } = await (direction === 'offramp' ? newOfframp(merchant) : newOnramp(merchant))
    const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
    for (const given of reports)
      await unitOfWork(context, (unit) => applyPoll(unit, direction, id, reportOf(direction, given)))
    const receivedAmount = direction === 'offramp' ? '25.125' : '50000'
    const known = outcome === 'not_received' ? {} : { receivedAmount }
    return { id, organisationId: merchant.organisationId, input: { orderId: id, evidence: 'A statement', ...known } }
  }

const failed = { status: 'failed' } as const
const delivered = { status: 'delivered' } as const
const noMoney = { status: 'expired', receivedAmount: null } as const

/** The refund of an order in one direction, in each of its states. A withdrawn one: delivered after all, as an operator said. */
const refundStages = {
  pending: after('offramp', { ...failed, refund: refund('pending') }),
  completed: after('offramp', { ...failed, refund: refund('completed') }, delivered),
  failed: after('onramp', { ...failed, refund: refund('failed') }),
}

endingsContract(service, operators.endings ?? [], {
  offramp: {
    pending: after('offramp', { status: 'waiting', receivedAmount: null }),
    processing: after('offramp', { outcomeUnknown: true }),
    settled: after('offramp', { status: 'settled' }),
    delivered: after('offramp', delivered, failed),
    failed: after('offramp', noMoney, delivered),
  },
  onramp: {
    awaiting_payment: after('onramp', { status: 'waiting', receivedAmount: null }),
    processing: after('onramp', {}),
    delivered: after('onramp', delivered, failed),
    expired: after('onramp', noMoney),
    failed: after('onramp', { ...failed, failureReason: 'compliance_hold' }, delivered),
  },
  fiat_refund: {
    ...refundStages,
    withdrawn: async (outcome) => {
      const staged = await refundStages.pending(outcome)
      await service.runtime.pool.query("update fiat_refunds set status = 'withdrawn' where id = $1", [staged.id])
      return staged
    },
  },
})
