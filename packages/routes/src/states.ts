import { machine } from '@payments/kernel'

export const routeMachine = machine('payment_route', 'active', {
  active: { says: 'Takes deposits', needs: ['deposit_address'], moves: { pause: 'paused', delete: 'deleted' } },
  paused: {
    says: 'Stopped by an operator; deposits that arrive are still recorded',
    moves: { resume: 'active', delete: 'deleted' },
  },
  deleted: { says: 'Deleted by the merchant; deposits that arrive are still recorded' },
})

export const depositMachine = machine('payment_route_deposit', 'pending', {
  pending: {
    says: 'Seen on the origin chain, on its way',
    needs: ['relay_request_id'],
    moves: { complete: 'completed', fail: 'failed', refund: 'refunded' },
  },
  completed: { says: 'Delivered on the destination chain' },
  failed: { says: 'Could not be delivered and was not sent back' },
  refunded: { says: 'Could not be delivered and was sent back' },
})
