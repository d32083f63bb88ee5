// `correct` and `withdraw` are moves of operators, who settle what a provider contradicts.
import { machine } from '@payments/kernel'

export const offrampMachine = machine('offramp', 'pending', {
  pending: {
    description: 'Initiated; waits for the stablecoin deposit',
    needs: ['deposit_address'],
    moves: { receive: 'processing', fail: 'failed' },
  },
  processing: {
    description: 'The deposit was received; conversion and bank transfer are being prepared',
    needs: ['received_amount'],
    moves: { settle: 'settled', fail: 'failed' },
  },
  settled: {
    description: 'Converted; the bank transfer was initiated',
    needs: ['received_amount'],
    moves: { deliver: 'delivered', fail: 'failed' },
  },
  delivered: { description: 'The destination bank confirmed receipt', needs: ['received_amount'] },
  failed: {
    description: 'Could not be completed; `failureReason` says why',
    needs: ['failure_reason'],
    moves: { correct: 'delivered' },
  },
})

export const onrampMachine = machine('onramp', 'awaiting_payment', {
  awaiting_payment: {
    description: 'Waits for the payment to the account in `paymentAccount`',
    moves: { receive: 'processing', expire: 'expired', fail: 'failed' },
  },
  processing: {
    description: 'The payment was received; the stablecoin is being delivered',
    needs: ['received_amount'],
    moves: { deliver: 'delivered', fail: 'failed' },
  },
  delivered: { description: 'The stablecoin was delivered', needs: ['received_amount'] },
  expired: {
    description: 'Not paid in time; a late payment is processed or refunded',
    moves: { receive: 'processing', fail: 'failed' },
  },
  failed: {
    description: 'Could not be completed; `failureReason` says why',
    needs: ['failure_reason'],
    moves: { correct: 'delivered' },
  },
})

/** States of a refund that its order shows. */
export const shownRefundStates = ['pending', 'completed', 'failed'] as const

/** The refund of an order: its money on the way back. */
export const refundMachine = machine('fiat_refund', 'pending', {
  pending: {
    description: 'The provider is sending the money back',
    moves: { complete: 'completed', fail: 'failed', withdraw: 'withdrawn' },
  },
  completed: { description: 'The money was sent back', moves: { withdraw: 'withdrawn' } },
  failed: { description: 'The money could not be sent back', moves: { complete: 'completed', withdraw: 'withdrawn' } },
  withdrawn: {
    description: 'There is none: an operator found that the order was delivered, or that nothing had arrived',
    moves: { complete: 'completed' },
  },
})
