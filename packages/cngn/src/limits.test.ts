import { bind, newId, system } from '@payments/kernel'
import { post } from '@payments/ledger'
import { queryContext, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import {
  call,
  cngnBodies,
  connected,
  enabledCustomer,
  newMerchant,
  signedIn,
  statementsWaiting,
  useService,
} from '#testing'
import { FAILED } from './movements/sends/outgoing.ts'
import { send } from './movements/sends/send.ts'
import { type CngnProvider, cngnProvider, convertOutProvider, type SendResult } from './provider/provider.ts'
import { sandboxCngn } from './provider/sandbox.ts'
import { fail, lockedTransfer } from './resources/transfers.ts'

/** What the provider answers to an order. */
let answer: SendResult
const sent: string[] = []
const live = new Proxy({} as CngnProvider, {
  get: (_target, name) => {
    // Asked for before the service runs.
    if (name === 'name') return 'cngn'
    if (name === 'send')
      return async ({ id }: { id: string }) => {
        sent.push(id)
        return answer
      }
    return sandboxCngn(service.runtime.pool)[name as keyof CngnProvider]
  },
})
const service = useService({
  live: [
    bind(cngnProvider, 'live', live),
    bind(convertOutProvider, 'live', {
      name: 'relay',
      quote: (request) => sandboxCngn(service.runtime.pool).quote(request),
      report: (convert) => sandboxCngn(service.runtime.pool).report(convert),
    }),
  ],
  settings: { PAYOUT_DAILY_LIMITS: 'cNGN:300' },
})

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const outgoing = {
  payout: cngnBodies.payouts,
  withdrawal: cngnBodies.withdrawals,
  convert: { ...cngnBodies.converts, fromCurrency: 'cNGN', toCurrency: 'USDC', destinationAddress: WALLET },
} as const
type Kind = keyof typeof outgoing
const kinds = Object.keys(outgoing) as Kind[]
const LIMITED = 'Daily limit of live payouts exceeded'

/** A merchant with a customer who has 1,000 cNGN in live. */
async function begin() {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { organisationId } = merchant
  const customerId = await enabledCustomer(service.runtime, organisationId, 0n, 'live')
  const context = queryContext(service.runtime, system(organisationId, 'live'))
  await unitOfWork(context, (unit) =>
    post(unit, {
      source: { type: 'adjustment', id: newId() },
      step: 'moved',
      postings: [
        { account: { purpose: 'external', asset: 'cNGN' }, amount: -1_000_000_000n },
        { account: { purpose: 'available', asset: 'cNGN', customerId }, amount: 1_000_000_000n },
      ],
    }),
  )
  return {
    organisationId,
    context,
    /** The id of a new object, or why there is none. */
    async create(kind: Kind, amount: string): Promise<string> {
      const body = { customerId, ...outgoing[kind], amount }
      const { status, body: reply } = await merchant.call(`POST /v1/cngn/${kind}s`, { body })
      return status === 201 ? reply.data.id : reply.message
    },
    async available() {
      const { body } = await merchant.call(`GET /v1/cngn/customers/${customerId}/balance`)
      return body.data.available as string
    },
    async used() {
      const { body } = await merchant.call('GET /v1/payout-controls')
      return body.data.dailyLimits[0].used as string
    },
    status: async (kind: Kind, id: string) => (await merchant.call(`GET /v1/cngn/${kind}s/${id}`)).body.data.status,
  }
}

const isId = (text: string) => /^[0-9a-f-]{36}$/.test(text)

/** A session in live of a member with this role. */
async function person(organisationId: string, role: 'owner' | 'finance') {
  const { accessToken: token, userId } = await signedIn(service.runtime, { organisationId, role })
  const headers = { 'x-service-environment': 'live' }
  return {
    userId,
    call: (line: string, body: object = {}) => call(service, line, { token, key: null, body, headers }),
  }
}

describe.each(kinds)('a live %s', (kind) => {
  test('that needs a second person counts against the daily limit when it is created, and gives its part back once', async () => {
    const { create, available, used, organisationId } = await begin()
    const [owner, finance] = [await person(organisationId, 'owner'), await person(organisationId, 'finance')]
    expect((await owner.call('PATCH /v1/payout-controls', { approval: { from: { cNGN: '100' } } })).status).toBe(200)
    const id = await create(kind, '200')
    expect(await create('payout', '101')).toBe(LIMITED)
    expect([await available(), await used()]).toEqual(['800', '200'])
    const rejections = await Promise.all(
      [owner, finance, finance].map((each) => each.call(`POST /v1/payout-approvals/${id}/reject`)),
    )
    expect(rejections.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect([await available(), await used()]).toEqual(['1000', '0'])
  })

  test('is approved only with a confirmed session, and while its destination is allowed', async () => {
    const { create, organisationId } = await begin()
    const [owner, finance] = [await person(organisationId, 'owner'), await person(organisationId, 'finance')]
    const change = (body: object) => owner.call('PATCH /v1/payout-controls', body)
    expect((await change({ approval: { from: { cNGN: '100' } } })).status).toBe(200)
    const id = await create(kind, '100')
    const approve = () => finance.call(`POST /v1/payout-approvals/${id}/approve`)
    const sendsOf = async () =>
      (await service.runtime.pool.query('select from cngn_sends where id = $1', [id])).rowCount
    expect((await change({ allowedDestinations: [] })).status).toBe(200)
    expect((await approve()).body.message).toBe('Destination is not among the allowed destinations')
    expect((await change({ allowedDestinations: null })).status).toBe(200)
    const confirmed = (minutes: number) =>
      service.runtime.pool.query(
        'update sessions set confirmed_at = now() - make_interval(mins => $2) where user_id = $1',
        [finance.userId, minutes],
      )
    await confirmed(11)
    expect((await approve()).body.message).toBe('Confirm the session first: POST /auth/confirm')
    expect(await sendsOf()).toBe(0)
    await confirmed(0)
    const approved = await approve()
    expect(approved.status, approved.text).toBe(200)
    expect(await sendsOf()).toBe(1)
  })

  test.each(kinds)('counts against the daily limit before a later %s, which reserves nothing', async (next) => {
    const { create, available, used } = await begin()
    expect(await create(kind, '100')).toSatisfy(isId)
    expect(await create(next, '201')).toBe(LIMITED)
    expect([await available(), await used()]).toEqual(['900', '100'])
  })

  test('that failed gives its money and its part of the daily limit back once, however often it is told', async () => {
    const { create, available, used, context } = await begin()
    const [failed, other] = [await create(kind, '100'), await create('payout', '150')]
    expect([failed, other].every(isId)).toBe(true)
    expect([await available(), await used()]).toEqual(['750', '250'])
    for (let time = 0; time < 3; time++)
      await unitOfWork(context, async (unit) => fail(unit, await lockedTransfer(unit, kind, failed), FAILED[kind]))
    expect([await available(), await used()]).toEqual(['850', '150'])
  })

  test('that fails holds no account while it waits for the daily limit, so it is in no circle with a new one', async () => {
    const { create, available, context, organisationId } = await begin()
    const id = await create(kind, '100')
    const other = await connected(service)
    try {
      await other.query('begin')
      await other.query('select from payout_usage where organisation_id = $1 for update', [organisationId])
      const failing = unitOfWork(context, async (unit) =>
        fail(unit, await lockedTransfer(unit, kind, id), FAILED[kind]),
      )
      await statementsWaiting(service, 1)
      const free = await other.query('select from ledger_accounts where organisation_id = $1 for update nowait', [
        organisationId,
      ])
      expect(free.rowCount).toBeGreaterThan(0)
      await other.query('commit')
      await failing
      expect(await available()).toBe('1000')
    } finally {
      await other.end()
    }
  })

  test('that the provider rejected is released once: no later answer or send of its order releases or sends it again', async () => {
    const { create, available, used, status, organisationId } = await begin()
    const id = await create(kind, '100')
    await create('payout', '150')
    answer = { status: 'rejected', reason: FAILED[kind], called: false }
    const claimed = { id, kind, organisationId, environment: 'live' } as const
    await send(service.runtime, claimed)
    for (const next of [
      answer,
      { status: 'not_sent', called: false, retryAfter: 0 },
      { status: 'accepted', reference: 'R1' },
    ] as const) {
      answer = next
      await Promise.all([send(service.runtime, claimed), send(service.runtime, claimed)])
    }
    expect(sent.filter((each) => each === id)).toHaveLength(1)
    expect(await status(kind, id)).toBe('failed')
    expect([await available(), await used()]).toEqual(['850', '150'])
    const { rows } = await service.runtime.pool.query(
      "select status = 'ended' as ended, reference from cngn_sends where id = $1",
      [id],
    )
    expect(rows).toEqual([{ ended: true, reference: null }])
  })
})
