import { firstIdOf, system } from '@payments/kernel'
import { domainsOf, notificationTypesOf, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, type Merchant, newMerchant, signedIn, useService } from '#testing'
import { notify } from './index.ts'
import { purge } from './purge.ts'

const service = useService()

const create = (of: Merchant, title: string, fail = false) =>
  unitOfWork(
    { runtime: service.runtime, actor: system(of.organisationId, of.environment), log: service.runtime.log },
    async (unit) => {
      const { organisationId, environment } = of
      const resource = { type: 'customer', id: of.organisationId }
      notify(unit, { organisationId, environment, type: 'money.received', title, body: 'Hello', resource })
      if (fail) throw new Error('failed')
    },
  )

const list = async (of: Merchant) => (await of.call('GET /v1/notifications')).body.data

test('a notification exists exactly when its unit of work was committed, and only in its organisation and environment', async () => {
  const merchant = await newMerchant(service)
  await create(merchant, 'First')
  await create(merchant, 'Never', true).catch(() => undefined)
  await create(merchant, 'Second')
  const { notifications, total } = await list(merchant)
  expect([total, notifications.map((each: { title: string }) => each.title)]).toEqual([2, ['Second', 'First']])
  expect(notifications[0]).toMatchObject({ type: 'money.received', body: 'Hello', readAt: null })
  const live = await newMerchant(service, { environment: 'live', organisationId: merchant.organisationId })
  for (const stranger of [await newMerchant(service), live]) {
    expect((await list(stranger)).total).toBe(0)
    const { status, body } = await stranger.call(`POST /v1/notifications/${notifications[0].id}/read`)
    expect([status, body.message]).toEqual([404, 'Notification not found'])
  }
})

test('readAt keeps the first time, and read-all marks only the unread notifications of its organisation', async () => {
  const merchant = await newMerchant(service)
  const other = await newMerchant(service)
  for (const of of [merchant, merchant, merchant, other]) await create(of, 'Note')
  const [first] = (await list(merchant)).notifications
  const read = await merchant.call(`POST /v1/notifications/${first.id}/read`)
  expect(read.body.data.readAt).not.toBeNull()
  expect((await merchant.call(`POST /v1/notifications/${first.id}/read`)).body.data).toEqual(read.body.data)
  expect((await merchant.call('POST /v1/notifications/read-all')).body.data).toEqual({ read: 2 })
  expect((await merchant.call('POST /v1/notifications/read-all')).body.data).toEqual({ read: 0 })
  expect((await list(other)).notifications[0].readAt).toBeNull()
})

test('the list shows the newest 200, and the total counts all', async () => {
  const merchant = await newMerchant(service)
  for (let n = 0; n < 201; n++) await create(merchant, `Note ${n}`)
  const { notifications, total } = await list(merchant)
  expect([total, notifications.length, notifications[0].title, notifications.at(-1).title]).toEqual([
    201,
    200,
    'Note 200',
    'Note 1',
  ])
})

test.each([
  ['completed', 'money.received', 'Money received', '1,250.5 USDC arrived through a payment route.'],
  [
    'refunded',
    'money.returned',
    'Money returned',
    'A deposit of 1,250.5 USDC to a payment route could not be delivered and came back to us, at 0x71C7656EC7ab88b098defB751B7401B5f6d8976F. We send it on; you do not have to do anything.',
  ],
  [
    'failed',
    'money.stranded',
    'Deposit on hold',
    'A deposit of 1,250.5 USDC to a payment route is on hold at the provider. We are working on it; you do not have to do anything.',
  ],
])('a deposit to a payment route that was %s creates one notification', async (outcome, type, title, body) => {
  const merchant = await newMerchant(service)
  const route = await merchant.call('POST /v1/payment-routes', {
    body: {
      ...{ name: 'Treasury', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    },
  })
  const { id } = route.body.data
  await merchant.call(`POST /v1/sandbox/payment-routes/${id}/deposits`, { body: { amount: '1250.5', outcome } })
  const sync = async () => (await merchant.call(`POST /v1/payment-routes/${id}/deposits/sync`)).status
  expect(await sync()).toBe(200)
  await merchant.call('POST /v1/sandbox/advance', { body: { seconds: 10 } })
  expect([await sync(), await sync()]).toEqual([200, 200])
  const { notifications, total } = await list(merchant)
  expect([total, notifications[0]]).toEqual([
    1,
    expect.objectContaining({
      type,
      title,
      body,
      resource: expect.objectContaining({ type: 'payment_route_deposit' }),
    }),
  ])
})

test('notifications are deleted after the configured time, read or not', async () => {
  const merchant = await newMerchant(service)
  for (const title of ['Old', 'New']) await create(merchant, title)
  await service.runtime.pool.query(
    "update notifications set id = $2, created_at = now() - interval '366 days' where organisation_id = $1 and title = 'Old'",
    [merchant.organisationId, firstIdOf(new Date(Date.now() - 366 * 86_400_000))],
  )
  await purge.run(service.runtime, {}, new AbortController().signal)
  expect((await list(merchant)).notifications.map((each: { title: string }) => each.title)).toEqual(['New'])
})

test('each user has a read state of his own, API keys share that of the organisation, and neither changes another', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const [first, second] = [
    await signedIn(service.runtime, { organisationId, role: 'owner' }),
    await signedIn(service.runtime, { organisationId, role: 'member' }),
  ]
  const as = (token: string, line: string) => call(service, line, { token })
  const unread = async (token: string) =>
    (await as(token, 'GET /v1/notifications')).body.data.notifications
      .filter((each: { readAt: string | null }) => each.readAt === null)
      .map((each: { title: string }) => each.title)
  for (const title of ['A', 'B', 'C']) await create(merchant, title)
  const [{ id }] = (await list(merchant)).notifications
  const read = await as(first.accessToken, `POST /v1/notifications/${id}/read`)
  expect(read.body.data.readAt).not.toBeNull()
  expect((await as(first.accessToken, `POST /v1/notifications/${id}/read`)).body.data).toEqual(read.body.data)
  expect(await unread(first.accessToken)).toEqual(['B', 'A'])
  expect(await unread(second.accessToken)).toEqual(['C', 'B', 'A'])
  expect(await unread(merchant.key)).toEqual(['C', 'B', 'A'])
  expect((await as(second.accessToken, 'POST /v1/notifications/read-all')).body.data).toEqual({ read: 3 })
  expect((await as(second.accessToken, 'POST /v1/notifications/read-all')).body.data).toEqual({ read: 0 })
  expect(await unread(merchant.key)).toEqual(['C', 'B', 'A'])
  expect((await as(merchant.key, 'POST /v1/notifications/read-all')).body.data).toEqual({ read: 3 })
  expect(await unread(first.accessToken)).toEqual(['B', 'A'])
})

test('a notification that a user marks many times at once is read once, and every request is answered with its time', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'member' })
  for (let n = 0; n < 20; n++) {
    await create(merchant, 'Note')
    const [{ id }] = (await list(merchant)).notifications
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call(service, `POST /v1/notifications/${id}/read`, { token })),
    )
    const [first] = answers
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(answers.map(({ body }) => body.data.readAt)).toEqual(answers.map(() => first?.body.data.readAt))
  }
})

test('a user sees and changes only his own preferences, a hidden type leaves his list, and API keys are refused', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const path = '/v1/auth/notification-preferences'
  const [own, other] = [
    (await signedIn(service.runtime, { organisationId, role: 'member' })).accessToken,
    (await signedIn(service.runtime, { organisationId, role: 'owner' })).accessToken,
  ]
  const shown = async (token: string) => (await call(service, `GET ${path}`, { token })).body.data
  const defaults = await shown(own)
  const types = notificationTypesOf(service.runtime.domains)
  expect(defaults.total).toBe(Object.keys(types).length)
  expect(defaults.preferences).toContainEqual({
    ...{ type: 'payout.failed', description: 'A payout failed' },
    ...{ inApp: true, email: true },
  })
  const change = (body: unknown, token: string | null = own) => call(service, `PATCH ${path}`, { token, body })
  await change({ preferences: [{ type: 'money.received', inApp: false }] })
  const changed = await change({ preferences: [{ type: 'money.received', email: true }] })
  expect(changed.body.data.preferences).toContainEqual(
    expect.objectContaining({ type: 'money.received', inApp: false, email: true }),
  )
  expect(await shown(own)).toEqual(changed.body.data)
  expect(await shown(other)).toEqual(defaults)
  await create(merchant, 'Hidden')
  expect((await call(service, 'GET /v1/notifications', { token: own })).body.data).toEqual({
    notifications: [],
    total: 0,
  })
  for (const token of [other, merchant.key])
    expect((await call(service, 'GET /v1/notifications', { token })).body.data.total).toBe(1)

  const unknown = await change({
    preferences: [{ type: 'money.received' }, { type: 'no.such' }, { type: 'money.received' }],
  })
  expect([unknown.status, unknown.body.errors]).toEqual([
    422,
    {
      'preferences.1.type': 'Unknown notification type "no.such"',
      'preferences.2.type': 'Must not be given twice',
    },
  ])
  for (const answer of [await merchant.call(`GET ${path}`), await change({ preferences: [] }, merchant.key)])
    expect([answer.status, answer.body.message]).toEqual([403, 'Dashboard session required'])
})

test('a type that no domain declares is refused, and nothing is committed', async () => {
  const merchant = await newMerchant(service)
  const unit = unitOfWork(
    { runtime: service.runtime, actor: system(merchant.organisationId, 'test'), log: service.runtime.log },
    async (open) =>
      notify(open, {
        ...merchant,
        type: 'no.such',
        title: '',
        body: '',
        resource: { type: 'x', id: merchant.organisationId },
      }),
  )
  await expect(unit).rejects.toThrow('No domain declares the notification type no.such')
  expect((await list(merchant)).total).toBe(0)
})

test('every type that a table of notifications names is declared', () => {
  const domains = domainsOf(service.runtime)
  const named = domains.flatMap(({ work }) =>
    Object.values(work?.notifications ?? {}).flatMap((byStatus) =>
      Object.values(byStatus).flatMap((row) => (typeof row === 'function' ? [] : [row.type])),
    ),
  )
  expect(named.length).toBeGreaterThan(3)
  expect(Object.keys(notificationTypesOf(domains))).toEqual(expect.arrayContaining(named))
})

test('a member of any role marks what they have read', async () => {
  const merchant = await newMerchant(service)
  await create(merchant, 'Note')
  const { organisationId } = merchant
  const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'viewer' })
  const [{ id }] = (await list(merchant)).notifications
  expect((await call(service, `POST /v1/notifications/${id}/read`, { token, key: null })).status).toBe(200)
  expect((await call(service, 'POST /v1/notifications/read-all', { token, key: null })).body.data).toEqual({ read: 0 })
})
