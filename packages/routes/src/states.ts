import { machine } from '@payments/kernel'

export const routeMachine = machine('payment_route', 'active', {
  active: {
    description: 'Accepts deposits',
    needs: ['deposit_address'],
    moves: { pause: 'paused', delete: 'deleted' },
  },
  paused: {
    description: 'Paused by an operator; deposits that arrive are still recorded',
    moves: { resume: 'active', delete: 'deleted' },
  },
  deleted: { description: 'Deleted by the merchant; deposits that arrive are still recorded' },
})

export const depositMachine = machine('payment_route_deposit', 'pending', {
  pending: {
    description: 'Received on the origin chain, in transit',
    needs: ['relay_request_id'],
    moves: { complete: 'completed', fail: 'failed', refund: 'refunded' },
  },
  completed: {
    description: 'Delivered on the destination chain',
    moves: { correct_to_failed: 'failed', correct_to_refunded: 'refunded' },
  },
  failed: {
    description: 'Could not be delivered and was not returned',
    // A transaction that was mined again, money that a provider held and then released, and what an operator settles.
    moves: { complete: 'completed', refund: 'refunded' },
  },
  refunded: {
    description: 'Could not be delivered and was returned: `refundTo` says to whom',
    moves: { correct_to_completed: 'completed', correct_to_failed: 'failed' },
  },
})
