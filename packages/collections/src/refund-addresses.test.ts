import type { NetworkType } from '@payments/kernel'
import { describe, expect, test } from 'vitest'
import { act, newCollection, newMerchant, paySession, startSession, useService } from '#testing'
import { getSession, settle } from '../test/sessions.ts'

/** An address of each network type: of the service, of the organisation and of the payer. */
const addresses: Readonly<Record<NetworkType, { service: string; organisation: string; payer: string }>> = {
  evm: {
    service: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    organisation: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    payer: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  },
  svm: {
    service: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
    organisation: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
    payer: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  },
  tvm: {
    service: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    organisation: 'TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR',
    payer: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8',
  },
}
const types = Object.keys(addresses) as NetworkType[]
const service = useService({
  settings: Object.fromEntries(types.map((type) => [`REFUND_ADDRESS_${type.toUpperCase()}`, addresses[type].service])),
})
const origins = {
  evm: { networkKey: 'ethereum', currency: 'USDC' },
  svm: { networkKey: 'solana', currency: 'USDC' },
  tvm: { networkKey: 'tron', currency: 'USDT' },
} as const

/** A link of an organisation whose own refund addresses are those of these network types. */
async function begin(own: readonly NetworkType[], given: Record<string, unknown> = {}) {
  const merchant = await newMerchant(service)
  const body = Object.fromEntries(own.map((type) => [type, addresses[type].organisation]))
  const answer = await merchant.call('PATCH /v1/payment-routes/refund-addresses', { body })
  expect(answer.status, answer.text).toBe(200)
  return { merchant, collection: await newCollection(merchant, given) }
}

/** Where the session says that its money goes back to, and where a payment that cannot be delivered went. */
async function refundsOf({ merchant }: Awaited<ReturnType<typeof begin>>, session: { id: string }) {
  await paySession(merchant, session.id, { outcome: 'refunded' })
  await settle(service, merchant)
  const { refundTo, payments } = await getSession(merchant, session.id)
  return [refundTo, payments[0].refundTo]
}

describe.each(types)('a payment from a network of type %s', (type) => {
  test.each<[string, readonly NetworkType[], 'service' | 'organisation']>([
    ['the service, where the organisation has set none', [], 'service'],
    ['the organisation, where it has set all', types, 'organisation'],
    ['the organisation, where it has set that type alone', [type], 'organisation'],
    ['the service, where the organisation has set all others', types.filter((other) => other !== type), 'service'],
  ])('goes back to the address of that type of %s', async (_name, own, owner) => {
    const world = await begin(own)
    const expected = { address: addresses[type][owner], owner }
    const session = await startSession(service, world.collection.id, origins[type])
    expect(await refundsOf(world, session)).toEqual([expected, expected])
  })

  test('goes back to the address that the payer names, of that type and no other', async () => {
    const world = await begin(types)
    for (const other of types.filter((each) => each !== type)) {
      const start = { action: 'start', ...origins[type], refundAddress: addresses[other].payer }
      const refused = await act(service, world.collection.id, start)
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['refundAddress']])
    }
    const refundAddress = addresses[type].payer
    const session = await startSession(service, world.collection.id, { ...origins[type], refundAddress })
    const expected = { address: refundAddress, owner: 'payer' }
    expect(await refundsOf(world, session)).toEqual([expected, expected])
  })

  test('that must be exact needs an address of the payer: no default is used', async () => {
    const { collection } = await begin(types, { paymentPolicy: { mismatch: 'return' } })
    const refused = await act(service, collection.id, { action: 'start', ...origins[type] })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['refundAddress']])
  })
})
