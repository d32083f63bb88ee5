import { expect, test } from 'vitest'
import {
  act,
  call,
  connected,
  createKeyFor,
  newCollection,
  newMerchant,
  payPageOf,
  signedIn,
  startService,
  startSession,
  statementsWaiting,
  useService,
} from '#testing'
import { deadlocks, getSession } from '../test/sessions.ts'

const service = useService({ settings: { TRUST_PROXY: 'loopback' } })
const START = { action: 'start', networkKey: 'ethereum', currency: 'USDC' }
const startFrom = (id: string, address: string) =>
  call(service, `POST /v1/pay/${id}`, { body: START, key: null, headers: { 'x-forwarded-for': address } })

/** Copies an open session of a link, for its own client address or one for each copy. */
const copy = (sessionId: string, copies: number, client: 'client' | 'n::text') =>
  service.runtime.pool.query(
    `insert into checkout_sessions
     select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'route_id', gen_random_uuid(), 'client', ${client}))).*
       from checkout_sessions s, generate_series(1, $2::int) n where s.id = $1`,
    [sessionId, copies],
  )

test('at most 120 sessions of a link are open for a client address, also when they are started at the same time', async () => {
  const { id } = await newCollection(await newMerchant(service))
  await copy((await startFrom(id, '198.51.100.7')).body.data.id, 114, 'client')
  const started = await Promise.all(Array.from({ length: 12 }, () => startFrom(id, '198.51.100.7')))
  expect(started.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(7).fill(429)])
  const open = started.find(({ status }) => status === 200)?.body.data
  expect((await startFrom(id, '198.51.100.8')).status).toBe(200)
  await act(service, open.id, { action: 'cancel' })
  expect((await startFrom(id, '198.51.100.7')).status).toBe(200)
  expect((await startFrom(id, '198.51.100.7')).status).toBe(429)
})

test('starts of several links at the same time pass the limit of none of them, and none is aborted', async () => {
  const merchant = await newMerchant(service)
  const links = [await newCollection(merchant), await newCollection(merchant), await newCollection(merchant)]
  for (const { id } of links) await copy((await startFrom(id, '198.51.100.7')).body.data.id, 116, 'client')
  const before = await deadlocks(service)
  const inTurns = Array.from({ length: 18 }, (_, n) => links[n % 3]?.id ?? '')
  const started = await Promise.all(inTurns.map(async (id) => ({ id, ...(await startFrom(id, '198.51.100.7')) })))
  for (const { id } of links) {
    const statuses = started.filter((each) => each.id === id).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 200, 200, 429, 429, 429])
  }
  expect(await deadlocks(service)).toBe(before)
})

test('a link that is deleted while starts wait for their commit takes none of them, and other links of the merchant take theirs', async () => {
  const merchant = await newMerchant(service)
  const [deleted, kept] = [await newCollection(merchant), await newCollection(merchant)]
  const holder = await connected(service)
  try {
    await holder.query('begin')
    await holder.query("update collections set status = 'inactive' where id = $1", [deleted.id])
    const first = startFrom(deleted.id, '198.51.100.7')
    await statementsWaiting(service, 1)
    const others = [kept, deleted, kept].map(({ id }) => startFrom(id, '198.51.100.7'))
    await statementsWaiting(service, 2)
    await holder.query('commit')
    const replies = (await Promise.all([first, ...others])).map(({ status, body }) => [status, body.message])
    const refused = [409, 'Collection accepts no payments any more']
    const started = [200, 'Checkout session started']
    expect(replies).toEqual([refused, started, refused, started])
  } finally {
    await holder.end()
  }
  const { rows } = await service.runtime.pool.query(
    `select count(*)::int as routes, count(s.id)::int as sessions from payment_routes r left join checkout_sessions s on s.route_id = r.id
      where r.organisation_id = $1`,
    [merchant.organisationId],
  )
  expect(rows).toEqual([{ routes: 2, sessions: 2 }])
})

test('a link that ends while a start waits for its commit takes none: the time of the commit counts', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const holder = await connected(service)
  try {
    await holder.query('begin')
    await holder.query('update collections set ends_at = clock_timestamp() where id = $1', [id])
    const starting = startFrom(id, '198.51.100.7')
    await statementsWaiting(service, 1)
    await holder.query('commit')
    expect((await starting).status).toBe(409)
  } finally {
    await holder.end()
  }
})

test('a hundred payers in an office each open the page, watch it and start a payment, with the limits of the specification', async () => {
  const settings = { RATE_LIMIT_GLOBAL: '', CONNECTIONS_PER_ADDRESS: '', TRUST_PROXY: '' }
  const office = await startService({ database: service.database, settings })
  try {
    const { id } = await newCollection(await newMerchant(service))
    // The merchant is somewhere else.
    await service.runtime.pool.query('delete from rate_limits')
    const payer = async () => {
      const accept = { headers: { accept: 'text/html,*/*;q=0.8' } }
      const page = await fetch(`${office.url}/pay/${id}`, accept)
      await page.text()
      const stream = await fetch(`${office.url}/v1/pay/${id}/stream`)
      const { status } = await call(office, `POST /v1/pay/${id}`, { body: START, key: null })
      return { statuses: [page.status, stream.status, status], close: () => stream.body?.cancel() }
    }
    const payers = await Promise.all(Array.from({ length: 100 }, payer))
    expect(payers.map(({ statuses }) => statuses)).toEqual(Array(100).fill([200, 200, 200]))
    await Promise.all(payers.map(({ close }) => close()))
  } finally {
    await office.stop()
  }
})

test('one IPv6 subscriber is one client address', async () => {
  const { id } = await newCollection(await newMerchant(service))
  await copy((await startFrom(id, '2001:db8:0:1::1')).body.data.id, 118, 'client')
  expect((await startFrom(id, '2001:db8:0:1::2')).status).toBe(200)
  expect((await startFrom(id, '2001:db8:0:1::ffff')).status).toBe(429)
})

test('at most 3,000 sessions of a link are open for all clients', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const session = await startSession(service, id)
  await copy(session.id, 2999, 'n::text')
  const refused = await startFrom(id, '198.51.100.7')
  expect([refused.status, refused.body.message]).toEqual([
    429,
    'Too many open payments, please finish or cancel one first',
  ])
})

test('a publishable key reads the pay routes of its own organisation and environment, and can do nothing else', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const foreign = await newCollection(await newMerchant(service))
  const keyOf = (environment: 'test' | 'live') =>
    createKeyFor(service.runtime, {
      organisationId: merchant.organisationId,
      environment,
      scopes: ['collections:read'],
      type: 'publishable',
    })
  const token = await keyOf('test')
  expect((await call(service, `GET /v1/pay/${id}`, { token })).status).toBe(200)
  for (const path of ['', '/embed-config', '/stream'])
    expect([path, (await call(service, `GET /v1/pay/${foreign.id}${path}`, { token })).status]).toEqual([path, 404])
  expect((await call(service, `GET /v1/pay/${id}`, { token: await keyOf('live') })).status).toBe(404)
  const act = await call(service, `POST /v1/pay/${id}`, { token, body: START })
  expect([act.status, act.body.message]).toEqual([403, 'Missing required scopes: api:write'])
  const list = await call(service, 'GET /v1/collections', { token })
  expect([list.status, list.body.message]).toEqual([403, 'Missing required scopes: api:read'])
})

test('pay routes may be called from every origin, without a credential or idempotency key', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const preflight = await call(service, `OPTIONS /v1/pay/${id}`, {
    key: null,
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  const session = await startSession(service, id)
  expect(session.status).toBe('awaiting_payment')
})

test('the pay pages of a suspended organisation are not available, and are again afterwards', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const operate = (action: string) =>
    call(service, `POST /v1/admin/ops/organisations/${merchant.organisationId}/${action}`, {
      token,
      key: null,
      body: { reason: 'Asked for' },
    })
  await operate('suspend')
  const [shown, started] = [await call(service, `GET /v1/pay/${id}`), await act(service, id, START)]
  expect([shown.status, started.status]).toEqual([403, 403])
  expect(shown.body.message).toBe('Payments to this merchant are not available')
  await operate('reactivate')
  expect(await payPageOf(service, id)).toMatchObject({ payable: true })
})

test('GET creates nothing', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  await payPageOf(service, id)
  await call(service, `GET /v1/pay/${id}/stream`)
  expect((await merchant.call(`GET /v1/collections/${id}/sessions`)).body.data.total).toBe(0)
})

test('start again with the id of a session begins a new session of its link', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const first = await startSession(service, id)
  await act(service, first.id, { action: 'cancel' })
  const second = await startSession(service, first.id)
  expect(second).toMatchObject({ parentId: id, status: 'awaiting_payment' })
  expect(second.depositAddress).not.toBe(first.depositAddress)
  expect((await getSession(merchant, first.id)).status).toBe('cancelled')
})

test('a client with an open unpaid session of the same choice gets that one again, and no new quote is asked for', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant, { type: 'checkout' })
  const first = (await startFrom(id, '198.51.100.7')).body.data
  expect((await startFrom(id, '198.51.100.7')).body.data).toEqual(first)
  expect((await startFrom(first.id, '198.51.100.7')).body.data).toEqual(first)
  const routes = async () =>
    (
      await service.runtime.pool.query('select from payment_routes where organisation_id = $1', [
        merchant.organisationId,
      ])
    ).rows.length
  expect(await routes()).toBe(1)
  // Another choice, another client, another payer.
  const others = [
    await act(service, id, START),
    await startFrom(id, '198.51.100.8'),
    await act(service, id, { ...START, payerEmail: 'payer@example.com' }),
    await act(service, id, { ...START, networkKey: 'base' }),
  ].map(({ body }) => body.data.id)
  expect(new Set([first.id, ...others]).size).toBe(5)
  await act(service, first.id, { action: 'cancel' })
  expect((await startFrom(id, '198.51.100.7')).body.data.id).not.toBe(first.id)
})

test('a session that is about to end is not given again', async () => {
  const { id } = await newCollection(await newMerchant(service), { type: 'checkout' })
  const first = (await startFrom(id, '198.51.100.7')).body.data
  await service.runtime.pool.query(
    "update checkout_sessions set ends_at = now() + interval '4 minutes' where id = $1",
    [first.id],
  )
  expect((await startFrom(id, '198.51.100.7')).body.data.id).not.toBe(first.id)
})

test('payers of a link with one address do not share a deposit address; who names an own open session gets that one', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const [first, second] = [await startFrom(id, '198.51.100.7'), await startFrom(id, '198.51.100.7')]
  expect(second.body.data.depositAddress).not.toBe(first.body.data.depositAddress)
  expect((await startFrom(first.body.data.id, '198.51.100.7')).body.data.id).toBe(first.body.data.id)
  expect((await startFrom(first.body.data.id, '198.51.100.8')).body.data.id).not.toBe(first.body.data.id)
})

test.each([
  [{ networkKey: 'ethereum' }, ['currency']],
  [{ networkKey: 'atlantis', currency: 'USDC' }, ['networkKey']],
  [{ networkKey: 'tron', currency: 'EURC' }, ['currency']],
  [{ networkKey: 'ethereum', currency: 'USDC', amount: '3' }, ['amount']],
  [{ networkKey: 'ethereum', currency: 'USDC', refundAddress: 'nowhere' }, ['refundAddress']],
  [{ networkKey: 'ethereum', currency: 'USDC', payerEmail: 'nobody' }, ['payerEmail']],
])('a start with wrong fields names them: %j', async (given, fields) => {
  const { id } = await newCollection(await newMerchant(service))
  const refused = await act(service, id, { action: 'start', ...given })
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, fields])
})

test('a link without an amount asks the payer for one', async () => {
  const { id } = await newCollection(await newMerchant(service), { amount: undefined })
  const missing = await act(service, id, START)
  expect([missing.status, Object.keys(missing.body.errors)]).toEqual([422, ['amount']])
  expect(await startSession(service, id, { amount: '7.5' })).toMatchObject({ amount: '7.5' })
})
