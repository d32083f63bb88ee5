import { expect, test } from 'vitest'
import { ServiceError } from './errors.ts'
import { bind, port, providers } from './provider.ts'

const routes = port<{ name: string }>('routes', 'Payment routes are not available')
const names = port<{ name: string }>('names', 'Names are not available')

test('a port is served by the first binding of its environment, and by no other', () => {
  const bound = providers([
    bind(names, 'live', { name: 'names' }),
    bind(routes, 'live', { name: 'first' }),
    bind(routes, 'live', { name: 'second' }),
    bind(routes, 'test', { name: 'sandbox' }),
  ])
  expect([bound.get(routes, 'live'), bound.find(routes, 'live'), bound.get(names, 'live')]).toEqual([
    { name: 'first' },
    { name: 'first' },
    { name: 'names' },
  ])
  expect([bound.get(routes, 'test'), bound.sandbox(routes)]).toEqual([{ name: 'sandbox' }, { name: 'sandbox' }])
})

test('without a provider the error is a 503 that names the capability and the environment', () => {
  const bound = providers([bind(routes, 'test', { name: 'sandbox' })])
  expect(bound.find(routes, 'live')).toBeUndefined()
  const error = (() => {
    try {
      return bound.get(routes, 'live')
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(ServiceError)
  expect(error).toMatchObject({
    status: 503,
    code: 'capability_unavailable',
    message: 'Payment routes are not available in the live environment',
  })
})
