import { expect, test } from 'vitest'
import { ServiceError } from '../errors.ts'
import { assets } from '../money/money.ts'
import {
  addressField,
  amountField,
  checked,
  networkField,
  positiveAmount,
  requestedAddress,
  requestedAmount,
} from './inputs.ts'

const fieldsOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    if (error instanceof ServiceError) return error.fields
    throw error
  }
}

test('a request is told every wrong field at once, and gets no value then', () => {
  const run = () =>
    checked((wrong) => {
      const network = networkField(wrong, 'networkKey', 'nowhere')
      addressField(wrong, 'address', 'evm', 'x')
      return [network, amountField(wrong, 'amount', '1.2345678', assets.USDC)]
    })
  expect(fieldsOf(run)).toEqual({
    networkKey: 'Unknown network "nowhere": see GET /payment-routes/networks',
    address: expect.stringContaining('address'),
    amount: 'USDC has at most 6 decimals',
  })
})

test('without a mistake the value is returned: a network of the given ones, an address in its canonical spelling, minor units', () => {
  const own = { key: 'base', more: 1 }
  expect(checked((wrong) => networkField(wrong, 'networkKey', 'base', [own]))).toBe(own)
  expect(fieldsOf(() => checked((wrong) => networkField(wrong, 'networkKey', 'tron', [own])))).toHaveProperty(
    'networkKey',
  )
  const lower = '0x71c7656ec7ab88b098defb751b7401b5f6d8976f'
  expect(requestedAddress({ type: 'evm' }, lower, 'address')).toBe('0x71C7656EC7ab88b098defB751B7401B5f6d8976F')
  expect(positiveAmount('0.000001', assets.USDC)).toBe(1n)
})

test('zero is no amount to settle with, and the field is named', () => {
  expect(fieldsOf(() => positiveAmount('0', assets.USDC, 'receivedAmount'))).toEqual({
    receivedAmount: 'Must be greater than zero',
  })
  expect(fieldsOf(() => positiveAmount('0', assets.USDC))).toHaveProperty('amount')
  expect(fieldsOf(() => requestedAmount('x', assets.USDC))).toHaveProperty('amount')
})

test('a check that finds nothing is none that passed, and a fault of the service is no mistake of the request', () => {
  expect(() => checked(() => undefined)).toThrow(ServiceError)
  const wrong = {}
  expect(() => amountField(wrong, 'amount', '1', undefined as never)).toThrow(TypeError)
  expect(wrong).toEqual({})
})
