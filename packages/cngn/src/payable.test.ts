import { bind } from '@payments/kernel'
import { expect, test } from 'vitest'
import { cngnBodies, enabledCustomer, newMerchant, useService } from '#testing'
import { type CngnProvider, cngnProvider } from './provider/provider.ts'
import { sandboxCngn } from './provider/sandbox.ts'

let payable = (amount: bigint) => amount
const live = new Proxy({} as CngnProvider, {
  get: (_target, name) => {
    if (name === 'name') return 'cngn'
    if (name !== 'openPayin') return sandboxCngn(service.runtime.pool)[name as keyof CngnProvider]
    return async (...given: Parameters<CngnProvider['openPayin']>) => ({
      ...(await sandboxCngn(service.runtime.pool).openPayin(...given)),
      payable: payable(given[0].amount),
    })
  },
})
const service = useService({ live: [bind(cngnProvider, 'live', live)] })

test('a payer is never asked for a hundred times what is credited', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const customerId = await enabledCustomer(service.runtime, merchant.organisationId, 0n, 'live')
  const open = () =>
    merchant.call('POST /v1/cngn/payins', { body: { customerId, ...cngnBodies.payins, amount: '50000' } })
  payable = (amount) => amount + 75_000_000n
  const good = await open()
  expect([good.status, good.body.data.account.amount]).toEqual([201, '50075'])
  // As if the API counted in kobo.
  payable = (amount) => amount * 100n
  const wrong = await open()
  expect(wrong.status).toBe(503)
  const { rows } = await service.runtime.pool.query('select pair from provider_prices where refused_at is not null')
  expect(rows).toEqual([{ pair: 'cNGN>cNGN' }])
})
