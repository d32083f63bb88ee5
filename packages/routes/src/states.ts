import { machine } from '@payments/kernel'

export const routeMachine = machine('payment_route', 'active', {
  active: { description: 'Takes deposits', needs: ['deposit_address'], moves: { pause: 'paused', delete: 'deleted' } },
  paused: {
    description: 'Stopped by an operator; deposits that arrive are still recorded',
    moves: { resume: 'active', delete: 'deleted' },
  },
  deleted: { description: 'Deleted by the merchant; deposits that arrive are still recorded' },
})

export const depositMachine = machine('payment_route_deposit', 'pending', {
  pending: {
    description: 'Seen on the origin chain, on its way',
    needs: ['relay_request_id'],
    moves: { complete: 'completed', fail: 'failed', refund: 'refunded' },
  },
  completed: { description: 'Delivered on the destination chain' },
  failed: { description: 'Could not be delivered and was not sent back' },
  refunded: { description: 'Could not be delivered and was sent back' },
})
