import type { NetworkType } from '@payments/kernel'
import { describe, expect, test } from 'vitest'
import { cngnBodies, newMerchant, useService } from '#testing'
import { enabled } from '../test/money.ts'

const addresses: Readonly<Record<NetworkType, string>> = {
  evm: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  svm: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
  tvm: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
}
const types = Object.keys(addresses) as NetworkType[]
const stablecoin = {
  evm: { networkKey: 'ethereum', currency: 'USDC' },
  svm: { networkKey: 'solana', currency: 'USDC' },
  tvm: { networkKey: 'tron', currency: 'USDT' },
} as const
// The service and the organisation have refund addresses of every type, which payment routes use.
const service = useService({
  settings: Object.fromEntries(types.map((type) => [`REFUND_ADDRESS_${type.toUpperCase()}`, addresses[type]])),
})

async function begin() {
  const merchant = await newMerchant(service)
  const answer = await merchant.call('PATCH /v1/payment-routes/refund-addresses', { body: addresses })
  expect(answer.status, answer.text).toBe(200)
  const customerId = await enabled(service, merchant, '1000')
  return (line: string, body: object) => merchant.call(`POST /v1/cngn/${line}`, { body: { customerId, ...body } })
}

describe.each(types)('on a network of type %s', (type) => {
  const { networkKey, currency } = stablecoin[type]
  const into = { ...cngnBodies.converts, fromCurrency: currency, networkKey }
  const out = { amount: '100', fromCurrency: 'cNGN', toCurrency: currency, networkKey }

  test('a deposit to convert goes back to the address of the request, of that type, and to no default', async () => {
    const create = await begin()
    for (const other of types.filter((each) => each !== type)) {
      const refused = await create('converts', { ...into, refundAddress: addresses[other] })
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['refundAddress']])
    }
    for (const refundAddress of [addresses[type], undefined]) {
      const made = await create('converts', { ...into, ...(refundAddress ? { refundAddress } : {}) })
      expect([made.status, made.body.data?.refundAddress], made.text).toEqual([201, refundAddress ?? null])
    }
  })

  test('what cNGN is converted to is sent to an address of that type', async () => {
    const create = await begin()
    for (const other of types.filter((each) => each !== type)) {
      const refused = await create('converts', { ...out, destinationAddress: addresses[other] })
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['destinationAddress']])
    }
    const made = await create('converts', { ...out, destinationAddress: addresses[type] })
    expect([made.status, made.body.data?.destinationAddress], made.text).toEqual([201, addresses[type]])
  })
})
