import { type FiatProvider, fiat, fiatProvider } from '@payments/fiat'
import { bind, newId } from '@payments/kernel'
import type { Domain } from '@payments/platform'
import { afterAll, describe, expect, test } from 'vitest'
import { call, expectConsistent, newMerchant, newOfframpBody, signedIn, useService } from '#testing'
import { startPaycrest } from '../test/server.ts'
import { paycrest } from './paycrest.ts'

const world = await startPaycrest()
afterAll(() => world.close())
const withKey = (apiKey: string) =>
  paycrest({ baseUrl: world.url, apiKey, apiSecret: 'x', requestsPerMinute: 600, maxOrder: 10_000, retryMs: 1 })
let now = withKey('paycrest-key')
/** The adapter as a process has it that was started with the key of now. */
const adapter = new Proxy({} as FiatProvider, { get: (_target, name) => Reflect.get(now, name) })
const service = useService({ live: [bind(fiatProvider, 'live', adapter)] })
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

describe('an order that was created with another key', () => {
  const task = (fiat as Domain).work?.tasks?.find(({ name }) => name === 'fiat.poll')
  async function begin() {
    now = withKey('paycrest-key')
    const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
    const merchant = await newMerchant(service, { environment: 'live' })
    const create = async () =>
      (await merchant.call('POST /v1/offramps', { body: newOfframpBody({ refundAddress: WALLET }) })).body.data
    const order = await create()
    world.receive(order.id, order.deposit.amount)
    return {
      ...order,
      create,
      merchant,
      sync: async () =>
        (
          await call(service, `POST /v1/admin/ops/fiat/orders/${order.id}/sync`, {
            token,
            body: { reason: 'Asked for' },
          })
        ).status,
      status: async () => (await merchant.call(`GET /v1/offramps/${order.id}`)).body.data.status,
      asked: () => world.calls.filter(({ line }) => line.endsWith(world.order(order.id).id)).length,
      attention: async () => {
        const body = { organisationId: merchant.organisationId }
        const answer = await call(service, 'POST /v1/admin/ops/attention', { token, key: null, body })
        return answer.body.data.objects
          .filter(({ id }: { id: string }) => id === order.id)
          .map(({ condition, reason }: { condition: string; reason: string }) => [condition, reason])
      },
    }
  }
  /** All scheduled polls of one organisation, as if they were due, and hours later than they are: all at once would exceed the budget of calls. */
  async function polls({ organisationId }: { readonly organisationId: string }) {
    for (let times = 0; times < 3; times++) {
      await service.runtime.pool.query(
        "update fiat_polls set next_poll_at = now() - interval '1 second', cancelled_since = cancelled_since - interval '2 hours' where organisation_id = $1",
        [organisationId],
      )
      const runtime = { ...service.runtime }
      await task?.run(runtime)
      await task?.stop?.(runtime)
    }
  }

  test.each([
    ['kept', false],
    ['not known, because it is older than that', true],
  ])(
    'whose account has new orders of ours: nothing of it changes, it is not failed, and operators see it; its credentials are %s',
    async (_name, isOlder) => {
      const order = await begin()
      expect(await order.sync()).toBe(200)
      expect(await order.status()).toBe('processing')
      if (isOlder) await service.runtime.pool.query('update offramps set credentials = null where id = $1', [order.id])
      now = withKey('paycrest-key-of-another')
      const ofOther = await order.create()
      const before = order.asked()
      await polls(order.merchant)
      expect(await order.status()).toBe('processing')
      expect((await order.merchant.call(`GET /v1/offramps/${ofOther.id}`)).body.data.status).toBe('pending')
      if (!isOlder) {
        expect(order.asked()).toBe(before)
        expect(await order.attention()).toEqual([['unknown', 'other_credentials']])
      } else expect((await order.attention()).length).toBe(1)
      expect(await order.sync()).toBe(503)
      expect(await order.status()).toBe('processing')

      // With its own key again, it is polled again without a command.
      now = withKey('paycrest-key')
      await world.settle()
      // The budget of calls may leave an order to a later poll.
      await expect
        .poll(async () => {
          await polls(order.merchant)
          return [await order.status(), await order.attention()]
        })
        .toEqual(['delivered', []])
      await expectConsistent(service)
    },
  )

  test('of the same account, made anew, goes on once an operator has asked and Paycrest shows it', async () => {
    const order = await begin()
    await order.sync()
    now = withKey('paycrest-key-made-anew')
    await polls(order.merchant)
    expect(await order.attention()).toEqual([['unknown', 'other_credentials']])
    expect(await order.sync()).toBe(200)
    expect(await order.attention()).toEqual([])
    world.step()
    await world.settle()
    await polls(order.merchant)
    expect(await order.status()).toBe('delivered')
    await expectConsistent(service)
  })

  test('that has ended is no work for operators', async () => {
    const order = await begin()
    await world.settle()
    await order.sync()
    expect(await order.status()).toBe('delivered')
    now = withKey('paycrest-key-of-another')
    await polls(order.merchant)
    expect([await order.status(), await order.attention()]).toEqual(['delivered', []])
  })
})
