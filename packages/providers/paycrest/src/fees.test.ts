import { fiatProvider } from '@payments/fiat'
import { bind } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { call, newMerchant, newOfframpBody, newOnrampBody, signedIn, useService } from '#testing'
import { startPaycrest } from '../test/server.ts'

const world = await startPaycrest()
afterAll(() => world.close())
const service = useService({ live: [bind(fiatProvider, 'live', world.provider)] })
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }
test('an order whose fees eat it up is refused with 503, and operators are told', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const refused = async () =>
    (await call(service, 'POST /v1/admin/ops/attention', { token, key: null, body: { kind: 'provider_price' } })).body
      .data.objects
  const offramp = () => merchant.call('POST /v1/offramps', { body: newOfframpBody({ refundAddress: WALLET }) })
  const onramp = () => merchant.call('POST /v1/onramps', { body: newOnrampBody({ refundBankAccount }) })
  expect([(await offramp()).status, (await onramp()).status]).toEqual([201, 201])
  world.fees.networkFee = '25'
  expect((await offramp()).status).toBe(503)
  expect(await refused()).toMatchObject([{ status: 'USDC>NGN' }])
  world.fees.networkFee = '0.05'
  world.fees.senderFee = '300'
  expect((await onramp()).status).toBe(503)
  expect(await refused()).toMatchObject([{ status: 'NGN>USDC' }])
  world.fees.senderFee = '0'
  expect([(await offramp()).status, (await onramp()).status]).toEqual([201, 201])
})
