import { bind, newId } from '@payments/kernel'
import { checksum } from 'ox/Address'
import { describe, expect, test } from 'vitest'
import {
  advance,
  call,
  newMerchant,
  newRoute,
  newRouteBody,
  pay,
  signedIn,
  someWallet,
  startService,
  sync,
  useService,
} from '#testing'
import { routesProvider, type SandboxRoutes } from './provider/provider.ts'
import { sandboxRoutes } from './provider/sandbox.ts'

let nextAddress: string | undefined
const opened: { refundAddress: string }[] = []
const service = useService({
  live: [
    bind(routesProvider, 'test', {
      name: 'sandbox',
      capabilities: { reusableAddresses: true },
      callsPerMinute: 60_000,
      offers: () => sandboxRoutes(service.runtime.pool).offers(),
      async createDepositAddress(input) {
        opened.push(input)
        const given = nextAddress
        nextAddress = undefined
        return given === undefined
          ? sandboxRoutes(service.runtime.pool).createDepositAddress(input)
          : { depositAddress: given }
      },
      deposits: (input) => sandboxRoutes(service.runtime.pool).deposits(input),
      simulateDeposit: (db, input) => sandboxRoutes(service.runtime.pool).simulateDeposit(db, input),
    } as SandboxRoutes),
  ],
})

const create = (merchant: Awaited<ReturnType<typeof newMerchant>>, given: Record<string, unknown> = {}) =>
  merchant.call('POST /v1/payment-routes', { body: newRouteBody(given) })

describe('creating', () => {
  const UNKNOWN = 'Unknown network "atlantis": see GET /payment-routes/networks'
  const EVM = 'Must be an EVM address: 0x and 40 hexadecimal digits'
  const BURN = 'Must not be a burn address: what is sent there is lost'
  test.each<[Record<string, unknown>, string, string]>([
    [{ originChainKey: 'atlantis' }, 'originChainKey', UNKNOWN],
    [{ destinationChainKey: 'atlantis' }, 'destinationChainKey', UNKNOWN],
    [{ destinationCurrency: 'usdc' }, 'destinationCurrency', 'Not available on base: one of USDC, EURC, ETH'],
    [{ originCurrency: 'SOL' }, 'originCurrency', 'Not available on ethereum: one of USDC, USDT, EURC, ETH'],
    [
      { destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976f' },
      'destinationAddress',
      'Checksum of the EVM address is wrong',
    ],
    [{ destinationAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }, 'destinationAddress', EVM],
    [
      { destinationChainKey: 'solana', destinationAddress: someWallet() },
      'destinationAddress',
      'Must be a Solana address: 32 bytes in base58',
    ],
    [
      {
        destinationChainKey: 'tron',
        destinationCurrency: 'USDT',
        destinationAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv9',
      },
      'destinationAddress',
      'Checksum of the Tron address is wrong',
    ],
    [{ refundAddress: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA' }, 'refundAddress', EVM],
    [{ destinationAddress: '0x000000000000000000000000000000000000dEaD' }, 'destinationAddress', BURN],
    [{ refundAddress: '0x0000000000000000000000000000000000000000' }, 'refundAddress', BURN],
    [{ destinationChainKey: 'solana', destinationAddress: '1'.repeat(32) }, 'destinationAddress', BURN],
    [
      { destinationChainKey: 'ethereum' },
      'destinationCurrency',
      'Must differ from the origin: the network and the currency are the same',
    ],
    [{ name: '  ' }, 'name', 'Must be at least 1 character'],
    [{ customerId: 'unknown' }, 'customerId', 'Must be a UUID'],
    [{ customerId: newId() }, 'customerId', 'Customer not found'],
    [{ metadata: { key: 1 } }, 'metadata.key', 'Must be a string of at most 500 characters'],
  ])('%o is rejected with 422 naming the field, before any provider call', async (given, field, message) => {
    const merchant = await newMerchant(service)
    const before = opened.length
    const answer = await create(merchant, given)
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: message }])
    expect(opened.length).toBe(before)
  })

  test('fields that replies show as null may be sent as null', async () => {
    const merchant = await newMerchant(service)
    const created = await create(merchant, { customerId: null, refundAddress: null, originCurrency: null })
    expect([created.status, created.body.data.customerId, created.body.data.originCurrency]).toEqual([
      201,
      null,
      'USDC',
    ])
  })

  test.each([
    ['solana', 'USDC', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
    ['tron', 'USDT', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
    ['base', 'ETH', someWallet()],
  ])('%s accepts an address of its own kind', async (destinationChainKey, destinationCurrency, destinationAddress) => {
    const merchant = await newMerchant(service)
    expect((await create(merchant, { destinationChainKey, destinationCurrency, destinationAddress })).status).toBe(201)
  })

  test('a second route with the same origin, destination and address is a 409, in any spelling, until the first is deleted', async () => {
    const merchant = await newMerchant(service)
    const destinationAddress = someWallet()
    const first = await newRoute(merchant, { destinationAddress })
    expect(first.destinationAddress.toLowerCase()).toBe(destinationAddress)
    for (const spelling of [destinationAddress, first.destinationAddress]) {
      const again = await create(merchant, { destinationAddress: spelling })
      expect([again.status, again.body.message]).toEqual([409, 'Payment route already active'])
    }
    const other = await newMerchant(service)
    expect((await create(other, { destinationAddress })).status).toBe(201)
    await merchant.call(`DELETE /v1/payment-routes/${first.id}`)
    expect((await create(merchant, { destinationAddress })).status).toBe(201)
  })

  test('of two concurrent requests one creates the route', async () => {
    const merchant = await newMerchant(service)
    const body = { destinationAddress: someWallet() }
    const answers = await Promise.all([create(merchant, body), create(merchant, body), create(merchant, body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test('a deposit address that ever belonged to another route is rejected, in any spelling, also of a deleted route', async () => {
    const merchant = await newMerchant(service)
    const { id, depositAddress } = await newRoute(merchant)
    await merchant.call(`DELETE /v1/payment-routes/${id}`)
    const stranger = await newMerchant(service)
    for (const used of [depositAddress, depositAddress.toLowerCase()]) {
      nextAddress = used
      const answer = await create(stranger)
      expect([answer.status, answer.body.message]).toEqual([
        502,
        'The payment provider returned no usable deposit address, please retry',
      ])
    }
    expect((await stranger.call('GET /v1/payment-routes')).body.data.total).toBe(0)
  })

  test('a deposit address of another kind of chain is rejected', async () => {
    nextAddress = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
    expect((await create(await newMerchant(service))).status).toBe(502)
  })

  test('the refund address is the route’s, else the organisation’s, else the service’s', async () => {
    const merchant = await newMerchant(service)
    const change = (body: object) => merchant.call('PATCH /v1/payment-routes/refund-addresses', { body })
    const refundOf = async (given: Record<string, unknown> = {}) => {
      const made = await create(merchant, given)
      expect(made.status, made.text).toBe(201)
      expect(opened.at(-1)?.refundAddress).toBe(made.body.data.refundAddress)
      return made.body.data.refundAddress
    }
    const ofService = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
    expect(await refundOf()).toBe(ofService)
    const [first, second] = [checksum(someWallet() as '0x'), checksum(someWallet() as '0x')]
    expect((await change({ evm: first.toLowerCase() })).body).toMatchObject({
      message: 'Refund addresses changed',
      data: { organisation: { evm: first, svm: null, tvm: null }, service: { evm: ofService } },
    })
    const made = await newRoute(merchant)
    expect(await refundOf()).toBe(first)
    expect(await refundOf({ refundAddress: second })).toBe(second)
    // Another kind of chain, environment or organisation: not this route.
    expect(await refundOf({ originChainKey: 'solana' })).toBe('2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA')
    for (const other of [await newMerchant(service), await newMerchant(service, { ...merchant, environment: 'live' })])
      expect((await other.call('GET /v1/payment-routes/refund-addresses')).body.data.organisation.evm).toBeNull()

    await change({ evm: second, svm: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU' })
    expect(await refundOf()).toBe(second)
    await change({ evm: null })
    expect(await refundOf()).toBe(ofService)
    expect((await merchant.call('GET /v1/payment-routes/refund-addresses')).body.data.organisation).toEqual({
      evm: null,
      svm: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
      tvm: null,
    })
    expect((await merchant.call(`GET /v1/payment-routes/${made.id}`)).body.data.refundAddress).toBe(first)
  })

  test('a refund address of another kind of chain is rejected naming the field, and nothing is changed', async () => {
    const merchant = await newMerchant(service)
    const answer = await merchant.call('PATCH /v1/payment-routes/refund-addresses', {
      body: { evm: someWallet(), svm: someWallet(), tvm: 'T' },
    })
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      {
        svm: 'Must be a Solana address: 32 bytes in base58',
        tvm: 'Must be a Tron address: T and 33 base58 characters',
      },
    ])
    const { organisation } = (await merchant.call('GET /v1/payment-routes/refund-addresses')).body.data
    expect(organisation).toEqual({ evm: null, svm: null, tvm: null })
  })

  test('five fields are enough in the sandbox; in live a route needs a refund address, which only an owner with a confirmed session sets', async () => {
    const sandbox = sandboxRoutes(service.runtime.pool)
    const { refundAddresses: _none, ...real } = sandbox
    const bare = await startService({
      settings: { REFUND_ADDRESS_EVM: '' },
      live: [bind(routesProvider, 'live', real)],
    })
    try {
      const playing = await create(await newMerchant(bare))
      expect([playing.status, playing.body.data.refundAddress]).toEqual([201, sandbox.refundAddresses?.evm])
      const merchant = await newMerchant(bare, { environment: 'live' })
      const answer = await create(merchant)
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        { refundAddress: 'Required: no refund address is configured for this network' },
      ])
      const { organisationId } = merchant
      const change = (token: string) =>
        call(bare, 'PATCH /v1/payment-routes/refund-addresses', {
          token,
          headers: { 'x-service-environment': 'live' },
          body: { evm: someWallet() },
        })
      const owner = await signedIn(bare.runtime, { organisationId, role: 'owner' })
      const member = await signedIn(bare.runtime, { organisationId, role: 'member' })
      expect((await change(merchant.key)).body.message).toBe('Dashboard session required')
      expect((await change(member.accessToken)).body.message).toBe('Owner role required')
      const age = (minutes: number) =>
        bare.runtime.pool.query('update sessions set confirmed_at = now() - make_interval(mins => $1)', [minutes])
      await age(10)
      expect((await change(owner.accessToken)).body.message).toBe('Confirm the session first: POST /auth/confirm')
      expect((await create(merchant)).status).toBe(422)
      await age(9)
      expect((await merchant.call('GET /v1/notifications')).body.data.total).toBe(0)
      expect((await change(owner.accessToken)).status).toBe(200)
      expect((await merchant.call('GET /v1/notifications')).body.data.notifications).toMatchObject([
        { type: 'refund_address.changed', body: expect.stringContaining(': EVM.') },
      ])
      expect((await create(merchant)).status).toBe(201)
    } finally {
      await bare.stop()
    }
  })

  test('a customer of another organisation or environment is not found', async () => {
    const [merchant, stranger] = [await newMerchant(service), await newMerchant(service)]
    const { body } = await stranger.call('POST /v1/customers', { body: { name: 'Bola', email: 'bola@example.com' } })
    const answer = await create(merchant, { customerId: body.data.id })
    expect([answer.status, answer.body.errors]).toEqual([422, { customerId: 'Customer not found' }])
    expect((await create(stranger, { customerId: body.data.id })).body.data.customerId).toBe(body.data.id)
  })

  test('without a provider the live environment answers 503 and stores nothing', async () => {
    const merchant = await newMerchant(service, { environment: 'live' })
    const answer = await create(merchant)
    expect([answer.status, answer.body.message]).toEqual([
      503,
      'Payment routes are not available in the live environment',
    ])
    expect((await merchant.call('GET /v1/payment-routes')).body.data.total).toBe(0)
  })
})

test('a deposit on a deleted route is recorded', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  await merchant.call(`DELETE /v1/payment-routes/${id}`)
  await pay(merchant, id, '12.5')
  await advance(merchant, 10)
  expect((await sync(merchant, id)).body.data).toEqual({ synced: 1, created: 1, updated: 0 })
  expect((await merchant.call('GET /v1/transactions')).body.data).toMatchObject({
    total: 1,
    transactions: [{ status: 'completed' }],
  })
  expect((await merchant.call(`DELETE /v1/payment-routes/${id}`)).status).toBe(404)
})

test('concurrent syncs of one route all succeed and create a deposit once', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  for (let number = 1; number <= 5; number++) await pay(merchant, id, String(number))
  const answers = await Promise.all(Array.from({ length: 6 }, () => sync(merchant, id)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(answers.reduce((sum, { body }) => sum + body.data.created, 0)).toBe(5)
  expect((await merchant.call('GET /v1/payment-routes/deposits')).body.data.total).toBe(5)
})

describe('an operator', () => {
  const operate = async (id: string, action: 'pause' | 'resume') => {
    const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
    return call(service, `POST /v1/admin/ops/payment-routes/${id}/${action}`, {
      token: accessToken,
      key: null,
      body: { reason: 'Asked for' },
    })
  }
  const events = async (id: string) => {
    const { rows } = await service.runtime.pool.query<{ text: string }>(
      `select type || ' ' || coalesce(payload->'data'->>'previousStatus', '-') || ' ' || (payload->'data'->>'status') || ' ' || organisation_id as text
         from events where resource_id = $1 order by id`,
      [id],
    )
    return rows.map(({ text }) => text)
  }

  test('pauses and resumes a route of any organisation, and the merchant gets an event for both', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newRoute(merchant)
    expect((await operate(id, 'pause')).body).toMatchObject({
      message: 'Payment route paused',
      data: { status: 'paused' },
    })
    expect((await merchant.call(`GET /v1/payment-routes/${id}`)).body.data.status).toBe('paused')
    expect((await operate(id, 'resume')).body.data.status).toBe('active')
    expect(await events(id)).toEqual([
      `payment_route.created - active ${merchant.organisationId}`,
      `payment_route.updated active paused ${merchant.organisationId}`,
      `payment_route.updated paused active ${merchant.organisationId}`,
    ])
  })

  test('gets 409 for a route that is already paused or active, and 404 for one that does not exist', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newRoute(merchant)
    expect((await operate(id, 'resume')).body.message).toBe('Payment route already active')
    await operate(id, 'pause')
    expect((await operate(id, 'pause')).body.message).toBe('Payment route already paused')
    await merchant.call(`DELETE /v1/payment-routes/${id}`)
    for (const action of ['pause', 'resume'] as const) expect((await operate(id, action)).status).toBe(404)
    expect((await operate('nothing', 'pause')).status).toBe(404)
  })

  test('syncs deposits of a route of any organisation, and the merchant gets an event for each', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newRoute(merchant)
    await pay(merchant, id, '3')
    const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
    const sync = (route: string) =>
      call(service, `POST /v1/admin/ops/payment-routes/${route}/deposits/sync`, {
        token: accessToken,
        key: null,
        body: { reason: 'Asked for' },
      })
    expect((await sync(id)).body).toMatchObject({ message: 'Deposits synced', data: { synced: 1, created: 1 } })
    const { deposits } = (await merchant.call('GET /v1/payment-routes/deposits')).body.data
    expect(deposits).toMatchObject([{ paymentRouteId: id, status: 'pending' }])
    expect(await events(deposits[0].id)).toEqual([`payment_route.deposit.updated - pending ${merchant.organisationId}`])
    expect((await sync('nothing')).status).toBe(404)
  })

  test('lists the deposits of all organisations that are stuck or failed, and no others', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newRoute(merchant, { refundAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' })
    const paid: Record<string, string> = {}
    for (const outcome of ['completed', 'refunded', 'failed']) paid[outcome] = await pay(merchant, id, '5', outcome)
    await advance(merchant, 10)
    await sync(merchant, id)
    for (const name of ['new', 'stuck']) paid[name] = await pay(merchant, id, '5')
    await sync(merchant, id)
    await service.runtime.pool.query(
      "update payment_route_deposits set created_at = now() - interval '61 minutes' where relay_request_id = $1",
      [paid.stuck],
    )
    const { accessToken } = await signedIn(service.runtime, { role: 'operator' })
    const list = await call(service, 'GET /v1/admin/ops/payment-routes/deposits', { token: accessToken })
    const { organisationId } = merchant
    const own = list.body.data.deposits.filter((each: { paymentRouteId: string }) => each.paymentRouteId === id)
    expect(new Set(own.map((each: { relayRequestId: string }) => each.relayRequestId))).toEqual(
      new Set([paid.failed, paid.stuck]),
    )
    expect(own).toMatchObject([{ organisationId, environment: 'test' }, { organisationId }])
  })

  test('a deposit to a paused route is recorded', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newRoute(merchant)
    await operate(id, 'pause')
    await pay(merchant, id, '3')
    expect((await sync(merchant, id)).body.data.created).toBe(1)
  })
})

describe('the sandbox', () => {
  test('times out for an amount that ends in .13, and has settled it when it answers again', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newRoute(merchant)
    await pay(merchant, id, '1.13')
    const silent = await sync(merchant, id)
    expect([silent.status, silent.body.message]).toEqual([503, 'The payment provider is not available, please retry'])
    await advance(merchant, 30)
    expect((await sync(merchant, id)).body.data).toEqual({ synced: 1, created: 1, updated: 0 })
    expect((await merchant.call('GET /v1/payment-routes/deposits')).body.data.deposits).toMatchObject([
      { status: 'completed', origin: { amount: '1.13' } },
    ])
  })

  test('settles when its clock is advanced, for that organisation only', async () => {
    const [merchant, stranger] = [await newMerchant(service), await newMerchant(service)]
    const [{ id }, { id: others }] = [await newRoute(merchant), await newRoute(stranger)]
    await pay(merchant, id, '1.13')
    await pay(stranger, others, '1.13')
    await advance(merchant, 60)
    expect((await sync(merchant, id)).status).toBe(200)
    expect((await sync(stranger, others)).status).toBe(503)
  })
})
