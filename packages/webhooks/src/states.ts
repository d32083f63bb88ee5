import { machine } from '@payments/kernel'

export const endpointMachine = machine('webhook_endpoint', 'enabled', {
  enabled: { description: 'Receives events', moves: { disable: 'disabled', revoke: 'revoked' } },
  disabled: {
    description: 'Disabled by the merchant, by a response of 410 or after five days of failures',
    moves: { enable: 'enabled', revoke: 'revoked' },
  },
  revoked: { description: 'Deleted by the merchant; its history stays' },
})

export const deliveryMachine = machine('webhook_delivery', 'pending', {
  pending: {
    description: 'Waiting for its first or next attempt',
    needs: ['next_attempt_at'],
    moves: { accept: 'delivered', give_up: 'failed' },
  },
  delivered: { description: 'The receiver answered with a 2xx status' },
  failed: { description: 'Every attempt failed, or the endpoint may not be called any more' },
})
