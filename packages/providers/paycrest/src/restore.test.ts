import { fiat, fiatProvider } from '@payments/fiat'
import { bind, newId } from '@payments/kernel'
import type { Domain } from '@payments/platform'
import { afterAll, expect, test } from 'vitest'
import { newMerchant, newOfframpBody, newOnrampBody, pause, useService } from '#testing'
import { startPaycrest } from '../test/server.ts'

const world = await startPaycrest()
afterAll(() => world.close())
const service = useService({ live: [bind(fiatProvider, 'live', world.provider)] })
const { restore } = (fiat as Domain).data ?? {}
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }
const compare = (from: Date) => restore?.compare?.(service.runtime, { from, to: new Date() })
const onramp = () => ({
  reference: newId(),
  amount: { input: 5_000_000n },
  asset: 'USDC',
  networkKey: 'base',
  currency: 'NGN',
  address: WALLET,
  refundAccount: null,
})

test('after a restore, orders that the provider has and the database has forgotten are named, and no others', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  await world.provider.createOnramp(onramp())
  await pause(5)
  const from = new Date()
  for (const [line, body] of [
    ['POST /v1/offramps', newOfframpBody({ refundAddress: WALLET })],
    ['POST /v1/onramps', newOnrampBody({ refundBankAccount })],
  ] as const)
    expect((await merchant.call(line, { body })).status).toBe(201)
  expect(await compare(from)).toEqual([])
  const { reference, ...order } = onramp()
  const { providerOrderId } = await world.provider.createOnramp({ reference, ...order })
  expect(await compare(from)).toEqual([
    expect.stringMatching(
      new RegExp(
        `^paycrest \\(live\\) has an order that the database does not have: ${providerOrderId}, our reference ${reference}, `,
      ),
    ),
  ])
  // A second comparison finds it again.
  expect(await compare(from)).toHaveLength(1)
})

test('more orders than a page of the list are read to the end, and a list that cannot be read is no empty one', async () => {
  const from = new Date()
  const references = Array.from({ length: 120 }, () => onramp())
  for (const order of references) await world.provider.createOnramp(order)
  const found = await compare(from)
  for (const { reference } of references) expect(found?.some((each) => each.includes(reference))).toBe(true)
  world.spoil = (line) => (line === 'GET /sender/orders' ? { status: 500 } : undefined)
  await expect(compare(from)).rejects.toThrow()
  world.spoil = () => undefined
})
