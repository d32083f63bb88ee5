import { machine } from '@payments/kernel'

export const swapMachine = machine('swap', 'awaiting_deposit', {
  awaiting_deposit: {
    description: 'Waits for `amount` at the deposit address',
    moves: { receive: 'swapping', cancel: 'cancelled', expire: 'expired' },
  },
  swapping: {
    description: '`amount` has arrived and is being swapped',
    needs: ['deposit_tx_hash'],
    moves: { complete: 'completed', fail: 'failed' },
  },
  completed: {
    description: 'The destination address received the proceeds',
    needs: ['received_amount', 'swap_tx_hash'],
  },
  failed: {
    description: 'Could not be swapped; `failureReason` says why. The deposit is on its way back',
    needs: ['failure_reason'],
    moves: { return: 'refunded' },
  },
  expired: {
    description: 'Less than `amount` arrived in time. What arrived is on its way back',
    moves: { return: 'refunded' },
  },
  cancelled: {
    description: 'Cancelled by you. Later deposits are refunded',
    moves: { return: 'refunded' },
  },
  refunded: { description: 'The deposit was sent back to the refund address', needs: ['refund_tx_hash'] },
})
