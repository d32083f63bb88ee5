import { system } from '@payments/kernel'
import { queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import {
  act,
  advance,
  call,
  dyingEverywhere,
  newCollection,
  newMerchant,
  paySession,
  signedIn,
  startSession,
  useService,
} from '#testing'
import { eventsOf, getSession, inOrder, settle } from '../test/sessions.ts'
import { applyDue } from './collections/expiry.ts'
import { resolveSession } from './sessions/resolve.ts'

// Money that was delivered and does not count by itself: where its merchant sees it, and what they decide.

const service = useService()
const never = new AbortController().signal

async function begin(given: Record<string, unknown> = {}) {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant, given)
  const session = await startSession(service, collection.id)
  const read = async (line: string) => (await merchant.call(line)).body.data
  return {
    merchant,
    session,
    async pay(payment: Parameters<typeof paySession>[2] = {}) {
      await paySession(merchant, session.id, payment)
      await settle(service, merchant)
      return getSession(merchant, session.id)
    },
    async end() {
      expect((await advance(merchant, 200 * 60)).status).toBe(200)
      await applyDue(service.runtime, never)
    },
    decide: (body: Record<string, unknown>) =>
      merchant.call(`POST /v1/collections/sessions/${session.id}/resolve`, { body }),
    undecided: () => read('GET /v1/collections/sessions/undecided'),
    shown: () => getSession(merchant, session.id),
    parent: () => getSession(merchant, collection.id),
    listed: async () => (await read(`GET /v1/collections/${collection.id}/sessions`)).sessions[0],
    pdf: () => call(service, `GET /pay/${session.id}/receipt.pdf`),
  }
}

test('money that does not count is on the collection and under what needs attention, with what arrived and what can be done', async () => {
  const late = await begin({ type: 'invoice' })
  await late.end()
  await late.pay()
  const [listed] = (await late.undecided()).sessions
  expect(listed.situation).toMatchObject({
    ...{ what: 'all', when: 'late', outcome: 'delivered', holder: 'merchant', next: 'merchant', until: null },
    heading: '25 USDC arrived too late',
    text: 'You have received 25 USDC on Ethereum after the deadline, so it does not count as paid. Count it as paid, send it back or keep it.',
  })
  expect((await late.listed()).situation).toEqual(listed.situation)
  expect((await late.shown()).situation).toEqual(listed.situation)
  const other = await begin()
  await other.pay({ currency: 'USDT', amount: '7' })
  expect(
    (await other.undecided()).sessions.map(({ situation }: { situation: { heading: string } }) => situation.heading),
  ).toEqual(['7 USDT that was not asked for'])
})

test.each(['counted', 'sent_back', 'kept'])(
  'a part is listed once the time for the rest is over, and until it is %s; its merchant is notified',
  async (action) => {
    const world = await begin({ type: 'checkout' })
    await world.pay({ amount: '4' })
    await world.pay({ amount: '6' })
    expect(await world.undecided()).toEqual({ sessions: [], total: 0 })
    await world.end()
    const [listed] = (await world.undecided()).sessions
    expect(listed).toMatchObject({ id: world.session.id, situation: { next: 'merchant' } })
    const { body } = await world.merchant.call('GET /v1/notifications')
    expect(body.data.notifications[0]).toMatchObject({ title: 'Incomplete payment', body: listed.situation.text })
    // Within the grace time the rest may still begin to come.
    expect((await world.decide({ action })).status).toBe(200)
    expect(await world.undecided()).toEqual({ sessions: [], total: 0 })
    expect((await world.decide({ action: 'kept' })).status).toBe(409)
    expect(await world.shown()).toMatchObject({ situation: { next: 'nobody' } })
    await inOrder(service)
  },
)

test.each(['a look of its payer', 'an operator'])('a part is listed also where %s ends the session', async (who) => {
  const world = await begin({ type: 'checkout' })
  await world.pay({ amount: '10' })
  if (who === 'an operator') {
    const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
    const { status, text } = await call(service, `POST /v1/admin/ops/checkout-sessions/${world.session.id}/settle`, {
      ...{ token, key: null, body: { outcome: 'expired', evidence: 'Asked for', reason: 'Asked for' } },
    })
    expect(status, text).toBe(200)
  } else {
    expect((await advance(world.merchant, 20 * 60)).status).toBe(200)
    await act(service, world.session.id, { action: 'refresh' })
  }
  expect(await world.shown()).toMatchObject({ status: 'expired' })
  expect((await world.undecided()).sessions.map(({ id }: { id: string }) => id)).toEqual([world.session.id])
})

test('what is accepted in another currency is what was received: in the list, in reports and in the receipt; more is too much', async () => {
  const world = await begin({ type: 'checkout' })
  await world.pay({ currency: 'USDT', amount: '25' })
  expect((await world.decide({ action: 'counted' })).status).toBe(200)
  const entry = async () =>
    (await world.merchant.call('GET /v1/transactions')).body.data.transactions.find(
      ({ id }: { id: string }) => id === world.session.id,
    )
  expect(await world.shown()).toMatchObject({ receivedAmount: '25', remainingAmount: '0', paidOver: false })
  expect(await entry()).toMatchObject({
    status: 'paid',
    amount: '25 USDC',
    amountUsd: '25',
    receipt: { origin: { amount: '25', amountUsd: '25' } },
  })
  await world.pay({ amount: '25' })
  expect(await world.shown()).toMatchObject({ status: 'paid', receivedAmount: '50', paidOver: true })
  expect(await entry()).toMatchObject({ amount: '50 USDC' })
  await inOrder(service)
})

test('a paid session says of money beside it that nobody has decided about it', async () => {
  const world = await begin({ type: 'checkout' })
  await world.pay({ currency: 'USDT', amount: '25' })
  await world.pay()
  const { situation, status } = await world.shown()
  expect([status, situation.next, situation.heading]).toEqual(['paid', 'merchant', '25 USDT that was not asked for'])
  expect((await world.undecided()).total).toBe(1)
})

test('a part is not sent back while its payer can still send the rest, which would pay what is gone', async () => {
  const world = await begin({ type: 'checkout' })
  await world.pay({ amount: '10' })
  for (const moved of [0, 20 * 60]) {
    if (moved > 0) expect((await advance(world.merchant, moved)).status).toBe(200)
    await applyDue(service.runtime, never)
    const refused = await world.decide({ action: 'sent_back' })
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('can still send the rest')])
  }
  await world.end()
  expect((await world.decide({ action: 'sent_back' })).status).toBe(200)
  expect(await world.pay({ amount: '15' })).toMatchObject({ status: 'expired' })
})

test('late money that is counted pays the session and its invoice, once, with the events of a payment', async () => {
  const world = await begin({ type: 'invoice' })
  await world.end()
  await world.pay()
  const counted = await world.decide({ action: 'counted', note: 'Agreed by phone' })
  expect([counted.status, counted.body.data.status]).toEqual([200, 'paid'])
  expect(await world.shown()).toMatchObject({
    status: 'paid',
    receivedAmount: '25',
    payments: [{ counts: false, resolution: 'counted' }],
    situation: { heading: 'Paid', text: 'You have received 25 USDC. You counted it as paid.', next: 'nobody' },
  })
  expect(await world.parent()).toMatchObject({ status: 'paid', paymentsCount: 1, receivedAmount: '25' })
  expect((await eventsOf(service, world.merchant)).slice(-2)).toEqual(['session expired>paid', 'invoice open>paid'])
  expect(await world.undecided()).toEqual({ sessions: [], total: 0 })
  expect((await world.decide({ action: 'kept' })).status).toBe(409)
  await inOrder(service)
})

test.each([
  [
    'in another currency before the end',
    async (world: Awaited<ReturnType<typeof begin>>) => world.pay({ currency: 'USDT', amount: '25' }),
  ],
  [
    'in another currency after the end',
    async (world: Awaited<ReturnType<typeof begin>>) => {
      await world.end()
      return world.pay({ currency: 'USDT', amount: '25' })
    },
  ],
  [
    'after a cancellation',
    async (world: Awaited<ReturnType<typeof begin>>) => {
      await act(service, world.session.id, { action: 'cancel' })
      return world.pay()
    },
  ],
  [
    'in part, and the rest never',
    async (world: Awaited<ReturnType<typeof begin>>) => {
      await world.pay({ amount: '10' })
      await world.end()
    },
  ],
])('money that came %s can be counted, and its receipt names it', async (_name, arrives) => {
  const world = await begin({ type: 'checkout' })
  await arrives(world)
  expect((await world.decide({ action: 'counted' })).status).toBe(200)
  expect(await world.shown()).toMatchObject({ status: 'paid', situation: { next: 'nobody' } })
  expect(await world.parent()).toMatchObject({ status: 'paid', paymentsCount: 1 })
  expect((await world.pdf()).status).toBe(200)
  await inOrder(service)
})

test.each([
  ['sent_back', 'You noted that you sent it back.'],
  ['kept', 'You decided to keep it.'],
])('money that is %s stays unpaid and needs no attention any more', async (action, text) => {
  const world = await begin()
  await world.end()
  await world.pay()
  expect((await world.decide({ action })).status).toBe(200)
  expect(await world.shown()).toMatchObject({ status: 'expired', situation: { next: 'nobody' } })
  expect((await world.shown()).situation.text).toContain(text)
  expect((await world.undecided()).total).toBe(0)
  // A later report of the same money changes no decision.
  await settle(service, world.merchant)
  expect(await world.shown()).toMatchObject({ payments: [{ resolution: action }] })
  await inOrder(service)
})

test('of two payments that do not count, each is decided by itself', async () => {
  const world = await begin()
  await world.pay({ currency: 'USDT', amount: '7' })
  const { payments } = await world.pay({ currency: 'USDT', amount: '8' })
  const unclear = await world.decide({ action: 'kept' })
  expect([unclear.status, Object.keys(unclear.body.errors)]).toEqual([422, ['paymentId']])
  for (const { id } of payments) expect((await world.decide({ action: 'kept', paymentId: id })).status).toBe(200)
  expect((await world.undecided()).total).toBe(0)
})

test('nobody decides about the money of another organisation, or where there is nothing to decide', async () => {
  const world = await begin()
  expect((await world.decide({ action: 'counted' })).status).toBe(409)
  const stranger = await newMerchant(service)
  const path = `POST /v1/collections/sessions/${world.session.id}/resolve`
  expect((await stranger.call(path, { body: { action: 'counted' } })).status).toBe(404)
  expect(
    (await world.merchant.call('POST /v1/collections/sessions/none/resolve', { body: { action: 'kept' } })).status,
  ).toBe(404)
})

test('an operator reads of held money what its merchant and its payer read', async () => {
  const world = await begin()
  await world.pay({ outcome: 'failed' })
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
  const { body } = await call(service, 'GET /v1/admin/ops/checkout-sessions', { token })
  const seen = body.data.sessions.find(({ id }: { id: string }) => id === world.session.id)
  expect(seen.situation).toMatchObject({ holder: 'provider', next: 'service', heading: '25 USDC is on hold' })
  const attention = await call(service, 'POST /v1/admin/ops/attention', {
    ...{ token, key: null, body: { organisationId: world.merchant.organisationId, sort: 'amount' } },
  })
  expect(attention.body.data.objects).toMatchObject([
    { kind: 'checkout_session', id: world.session.id, amount: '25 USDC', amountUsd: '25' },
  ])
  expect((await world.shown()).situation).toMatchObject({
    holder: 'provider',
    next: 'service',
    text: '25 USDC on Ethereum is on hold at the provider. We are working on it; you need not do anything.',
  })
})

test('a crash before any statement of a decision, its commit included, changes nothing; made again, it pays once', {
  timeout: 120_000,
}, async () => {
  const count = (runtime: Runtime, world: Awaited<ReturnType<typeof begin>>) =>
    unitOfWork(queryContext(runtime, system(world.merchant.organisationId, 'test')), (unit) =>
      resolveSession(unit, { sessionId: world.session.id, action: 'counted' }),
    )
  let world = await begin({ type: 'checkout' })
  const cuts = await dyingEverywhere(
    service,
    async (runtime) => {
      world = await begin({ type: 'checkout' })
      await world.end()
      await world.pay()
      return count(runtime, world)
    },
    async (cut) => {
      if (cut !== null) {
        expect(await world.shown()).toMatchObject({ status: 'expired', payments: [{ resolution: null }] })
        await count(service.runtime, world)
      }
      expect(await world.shown()).toMatchObject({ status: 'paid', payments: [{ resolution: 'counted' }] })
      expect(await world.parent()).toMatchObject({ status: 'paid', paymentsCount: 1, receivedAmount: '25' })
      const events = await eventsOf(service, world.merchant)
      expect(events.filter((event) => event.endsWith('>paid')).toSorted()).toEqual([
        'checkout open>paid',
        'session expired>paid',
      ])
    },
  )
  expect(cuts).toBe(1)
  await inOrder(service)
})
