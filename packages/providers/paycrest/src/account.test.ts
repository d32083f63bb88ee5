import { fiatProvider } from '@payments/fiat'
import { bind, newId } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { call, expectConsistent, newMerchant, newOfframpBody, signedIn, useService } from '#testing'
import { startPaycrest } from '../test/server.ts'

const world = await startPaycrest()
afterAll(() => world.close())
const service = useService({ live: [bind(fiatProvider, 'live', world.provider)] })
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

test('with the key of another account that has orders of its own, an order in flight stays so, and operators are told why', async () => {
  const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  const sync = async (id: string) =>
    call(service, `POST /v1/admin/ops/fiat/orders/${id}/sync`, { token, body: { reason: 'Asked for' } })
  const merchant = await newMerchant(service, { environment: 'live' })
  const create = async () =>
    (await merchant.call('POST /v1/offramps', { body: newOfframpBody({ refundAddress: WALLET }) })).body.data
  const status = async (id: string) => (await merchant.call(`GET /v1/offramps/${id}`)).body.data.status
  const longHidden = () =>
    service.runtime.pool.query("update fiat_polls set cancelled_since = cancelled_since - interval '31 minutes'")
  const [order, other] = [await create(), await create()]
  world.order(order.id).outcome = 'cancelled'
  await world.pay(order.id, BigInt(Math.round(Number(order.deposit.amount) * 1e6)))
  await sync(order.id)
  expect(await status(order.id)).toBe('processing')

  const ours = world.orders.splice(0)
  await world.provider.createOnramp({
    ...{ reference: newId(), amount: { input: 5_000_000n }, asset: 'USDC', networkKey: 'base', currency: 'NGN' },
    ...{ address: WALLET, refundAccount: null },
  })
  for (let poll = 0; poll < 2; poll++) {
    const refused = await sync(order.id)
    expect([refused.status, refused.body.message]).toEqual([503, expect.stringMatching(/^The provider shows neither/)])
    await longHidden()
  }
  expect(await status(order.id)).toBe('processing')

  // With our key again, the order that is hidden was cancelled: its money is at the provider.
  world.orders.splice(0, world.orders.length, ...ours)
  await world.settle()
  expect(world.order(order.id).status).toBe('cancelled')
  expect((await sync(order.id)).status).toBe(200)
  await longHidden()
  await sync(order.id)
  expect([await status(order.id), await status(other.id)]).toEqual(['failed', 'pending'])
  await expectConsistent(service)
})
