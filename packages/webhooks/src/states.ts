import { machine } from '@payments/kernel'

export const deliveryMachine = machine('webhook_delivery', 'pending', {
  pending: { says: 'Waits for its first or next attempt', moves: { accept: 'delivered', give_up: 'failed' } },
  delivered: { says: 'The receiver answered with a 2xx status' },
  failed: { says: 'Every attempt failed, or the endpoint may not be called any more' },
})
