import { expect, test } from 'vitest'
import { machine } from './states.ts'

const order = machine('order', 'open', {
  open: { description: 'Open', moves: { pay: 'paid', cancel: 'cancelled', void: 'cancelled' } },
  paid: { description: 'Paid', moves: { refund: 'cancelled' } },
  cancelled: { description: 'Cancelled' },
})

test('an event leads to the state of the table, and where there is no edge nowhere', () => {
  expect([order.step('open', 'pay'), order.step('open', 'cancel'), order.step('paid', 'refund')]).toEqual([
    'paid',
    'cancelled',
    'cancelled',
  ])
  expect([order.step('paid', 'pay'), order.step('cancelled', 'pay')]).toEqual([undefined, undefined])
})

test('name, events, edges and the schema of the status derive from the table', () => {
  expect([order.name, order.initial, [...order.events].sort()]).toEqual([
    'order',
    'open',
    ['cancel', 'pay', 'refund', 'void'],
  ])
  expect(order.edges).toEqual(['open>cancelled', 'open>paid', 'paid>cancelled'])
  expect(order.Status.options).toEqual(['open', 'paid', 'cancelled'])
})

test('a move to an unknown state and a state that nothing reaches are errors that name them', () => {
  expect(() => machine('order', 'open', { open: { description: 'Open', moves: { pay: 'paid' } } })).toThrow(
    'order: a move leads to the unknown state paid',
  )
  expect(() =>
    machine('order', 'open', { open: { description: '' }, lost: { description: '' }, gone: { description: '' } }),
  ).toThrow('order: no move leads to lost, gone')
})
