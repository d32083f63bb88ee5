import { expect, test } from 'vitest'
import { useService } from '#testing'
import { eventTypes } from './events/catalogue.ts'

const service = useService()

// The catalogue of the specification, and the two opt-in types.
const objects = ['convert', 'withdrawal', 'payout', 'payin', 'deposit'].map((name) => `cngn.${name}`)
const specified: readonly string[] = [
  ...['swap', 'payment_route', 'collection', 'offramp', 'onramp', ...objects].flatMap((name) => [
    `${name}.created`,
    `${name}.updated`,
  ]),
  ...[
    'payment_route.deposit.updated',
    'cngn.customer.enabled',
    'cngn.customer.failed',
    'webhook.test',
    'offramp.settled',
    'offramp.delivered',
  ],
]

test('the catalogue is the one of the specification with the two opt-in types, and no other type is opt-in', () => {
  const rows = eventTypes(service.runtime.domains)
  expect(rows.map(({ type }) => type)).toEqual(specified.toSorted())
  expect(rows.flatMap(({ type, optIn }) => (optIn ? [type] : []))).toEqual(['offramp.delivered', 'offramp.settled'])
})
