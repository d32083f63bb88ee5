import { bind, newId, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import {
  call,
  endingsContract,
  expectConsistent,
  newMerchant,
  newRoute,
  type Stage,
  signedIn,
  useService,
} from '#testing'
import { applyReports } from './deposits/reports.ts'
import { RouteEntity } from './entity.ts'
import { operators } from './operators/operators.ts'
import type { DepositReport, OddReport } from './provider/provider.ts'
import { routesProvider } from './provider/provider.ts'
import { sandboxRoutes } from './provider/sandbox.ts'

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const looked: object[] = []
const service = useService({
  live: [
    bind(routesProvider, 'test', {
      name: 'sandbox',
      capabilities: { reusableAddresses: true },
      callsPerMinute: 60_000,
      offers: () => sandboxRoutes(service.runtime.pool).offers(),
      createDepositAddress: (input) => sandboxRoutes(service.runtime.pool).createDepositAddress(input),
      deposits: async () => ({ reports: [], calls: 1 }),
      async reindex(input) {
        looked.push(input)
        return { found: 1 }
      },
    }),
  ],
  settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' },
})

const report = (given: Partial<DepositReport> = {}): DepositReport => ({
  requestId: newId(),
  status: 'pending',
  origin: { networkKey: 'ethereum', currency: 'USDC' },
  originAmount: 1_000_000n,
  originAmountUsd: '1',
  destinationAmount: given.status === 'completed' ? 990_000n : null,
  destinationAmountUsd: null,
  depositTxHash: newId(),
  failureReason: null,
  providerReason: null,
  updatedAt: new Date(),
  ...given,
})

async function begin(given: Record<string, unknown> = { refundAddress: WALLET }) {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant, given)
  const context = queryContext(service.runtime, system(merchant.organisationId, 'test'))
  const row = await context.em.findOneOrFail(RouteEntity, { id })
  const apply = (reports: DepositReport[], odd: OddReport[] = []) =>
    unitOfWork(context, (unit) => applyReports(unit, row, reports, odd))
  const deposits = async () => (await merchant.call('GET /v1/payment-routes/deposits')).body.data.deposits
  return { id, merchant, apply, deposits }
}

/** A command of an operator. */
async function ops(path: string, body: object) {
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  return call(service, `POST /v1/admin/ops/${path}`, { token, key: null, body })
}

async function attention(organisationId: string) {
  const { body } = await ops('attention', { organisationId })
  return body.data.objects as { id: string; kind: string; reason: string; condition: string }[]
}

const hash = () => newId()

test('a deposit that was reorganised out and mined again is delivered: same transaction, another request', async () => {
  const { merchant, apply, deposits } = await begin()
  const depositTxHash = hash()
  const failed = report({ depositTxHash, status: 'failed', failureReason: 'deposit_not_confirmed' })
  await apply([failed])
  expect(await deposits()).toMatchObject([{ status: 'failed', failureReason: 'deposit_not_confirmed' }])
  const again = report({ depositTxHash, status: 'completed' })
  expect(await apply([failed, again])).toMatchObject({ created: 0, updated: 1 })
  expect(await apply([again, failed])).toMatchObject({ created: 0, updated: 0 })
  expect(await deposits()).toMatchObject([{ status: 'completed', failureReason: null }])
  expect(await attention(merchant.organisationId)).toEqual([])
  await expectConsistent(service)
})

test('reports of one poll are applied oldest first, in whatever order they are told, and older ones change nothing after that', async () => {
  const { apply, deposits, merchant } = await begin()
  const depositTxHash = hash()
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000)
  const failed = report({ depositTxHash, status: 'failed', failureReason: 'deposit_not_confirmed', updatedAt: at(1) })
  const delivered = report({ depositTxHash, status: 'completed', updatedAt: at(2) })
  const seen = report({ depositTxHash, requestId: failed.requestId, updatedAt: at(0) })
  await apply([delivered, failed, seen])
  const before = await deposits()
  expect(before).toMatchObject([{ status: 'completed', failureReason: null }])
  const { rows } = await service.runtime.pool.query(
    "select payload->'data'->>'status' as status from events where organisation_id = $1 and resource_id = $2 order by id",
    [merchant.organisationId, before[0].id],
  )
  expect(rows.map(({ status }) => status)).toEqual(['pending', 'failed', 'completed'])
  for (const stale of [seen, failed, { ...delivered, status: 'pending', destinationAmount: null } as const]) {
    expect(await apply([stale])).toMatchObject({ created: 0, updated: 0 })
    expect(await deposits()).toEqual(before)
  }
  expect(await attention(merchant.organisationId)).toEqual([])
  await expectConsistent(service)
})

test('a deposit that the provider held is sent back later', async () => {
  const { merchant, apply, deposits } = await begin()
  const held = report({ status: 'failed', failureReason: 'provider_blocked' })
  await apply([held])
  expect(await attention(merchant.organisationId)).toMatchObject([{ condition: 'failed' }])
  await apply([{ ...held, status: 'refunded', refundAddress: WALLET.toLowerCase() }])
  expect(await deposits()).toMatchObject([{ status: 'refunded', refundTo: { address: WALLET, owner: 'organisation' } }])
  expect(await attention(merchant.organisationId)).toEqual([])
  await expectConsistent(service)
})

test.each([
  ['completed', 'refunded'],
  ['refunded', 'completed'],
  ['failed', 'completed'],
  ['completed', 'completed'],
] as const)(
  '%s and then reported as %s differently: nothing changes, and operators and the timeline keep the report',
  async (first, second) => {
    const { id, merchant, apply, deposits } = await begin()
    const one = report({ status: first, failureReason: first === 'completed' ? null : 'price_moved' })
    await apply([one])
    const before = await deposits()
    const other = {
      ...one,
      status: second,
      originAmount: 2_000_000n,
      destinationAmount: second === 'completed' ? 5n : null,
    }
    await apply([other])
    await apply([other])
    expect(await deposits()).toEqual(before)
    const listed = (await attention(merchant.organisationId)).filter(({ kind }) => kind === 'provider_report')
    expect(listed).toHaveLength(1)
    expect(listed[0]?.reason).toContain(`Reported as ${second}`)
    const { rows } = await service.runtime.pool.query(
      'select times from provider_reports where reason is not null and resource_id = $1',
      [before[0].id],
    )
    expect(rows).toEqual([{ times: 2 }])
    expect(id).toBeTruthy()
    await expectConsistent(service)
  },
)

test.each(['pending', 'completed', 'refunded'] as const)(
  'what an operator ended is ended by no report: a %s deposit that was never received, and then is reported as delivered',
  async (first) => {
    const { merchant, apply, deposits } = await begin()
    const seen = report({ status: first, ...(first === 'refunded' ? { refundAddress: WALLET } : {}) })
    await apply([seen])
    const reasons = async () => (await attention(merchant.organisationId)).map(({ reason }) => reason)
    const settled = await ops(`payment-routes/deposits/${(await deposits())[0].id}/settle`, {
      ...{ outcome: 'not_received', evidence: 'Block explorer', reason: 'Looked at the chain' },
    })
    expect(settled.status, settled.text).toBe(200)
    expect(await deposits()).toMatchObject([{ status: 'failed', failureReason: 'deposit_not_confirmed' }])
    // The provider's list repeats every deposit, and tells what operators know better.
    const told = { ...seen, status: 'completed', destinationAmount: 990_000n } as const
    const later = report({ status: 'completed' })
    // What the operator knew when settling is nothing new.
    const listed = first === 'completed' ? [] : ['Reported as completed after it was failed']
    for (let polls = 0; polls < 2; polls++) {
      await apply([told, later])
      expect((await deposits()).map(({ status }: { status: string }) => status).sort()).toEqual(['completed', 'failed'])
      expect(await reasons()).toEqual(listed)
    }
    await expectConsistent(service)
  },
)

test('an element that cannot be read is kept for operators beside the deposits that can', async () => {
  const { id, merchant, apply, deposits } = await begin()
  await apply(
    [report({ status: 'completed' })],
    [{ requestId: '0x1', reason: 'Not readable at data', report: { id: '0x1' } }],
  )
  expect(await deposits()).toHaveLength(1)
  expect(await attention(merchant.organisationId)).toMatchObject([{ id, reason: 'Not readable at data, request 0x1' }])
})

test('a refund says where it went: to the address that was used, and whose that is', async () => {
  const own = await begin()
  await own.apply([report({ status: 'refunded' })])
  expect((await own.deposits())[0].refundTo).toEqual({ address: WALLET, owner: 'organisation' })
  const other = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  await own.apply([report({ status: 'refunded', refundAddress: other })])
  expect((await own.deposits())[0].refundTo).toEqual({ address: other, owner: 'payer' })
  const ours = await begin({})
  await ours.apply([report({ status: 'refunded' })])
  expect((await ours.deposits())[0].refundTo.owner).toBe('service')
  expect(await attention(ours.merchant.organisationId)).toMatchObject([
    { condition: 'held', reason: 'Refunded to an address of this service: pass it on, then settle' },
  ])
  const notices = (await ours.merchant.call('GET /v1/notifications')).body.data.notifications
  expect(notices[0].body).toMatch(
    /came back to us, at 0x[\dA-Fa-f]{40}\. We send it on; you do not have to do anything\./,
  )
  await expectConsistent(service)
})

test('a change that arrives while an address is polled is not lost', async () => {
  const { id, apply } = await begin()
  await service.runtime.pool.query('update payment_route_polls set next_poll_at = to_timestamp(0) where id = $1', [id])
  await apply([report()])
  const { rows } = await service.runtime.pool.query(
    'select next_poll_at <= now() as due from payment_route_polls where id = $1',
    [id],
  )
  expect(rows).toEqual([{ due: true }])
})

test('an operator makes the provider look at another network of the same kind, and at no other', async () => {
  const { id } = await begin()
  const { accessToken: token } = await signedIn(service.runtime, { role: 'operator', email: 'operator@example.com' })
  const ask = (networkKey: string) =>
    call(service, `POST /v1/admin/ops/payment-routes/${id}/reindex`, {
      token,
      body: { networkKey, reason: 'Payer wrote' },
    })
  const found = await ask('arbitrum')
  expect([found.status, found.body.data]).toEqual([200, { found: 1 }])
  expect(looked.at(-1)).toMatchObject({ networkKey: 'ethereum', on: 'arbitrum' })
  expect((await ask('solana')).status).toBe(422)
})

describe('operators end a deposit in any state', () => {
  const stage =
    (status: DepositReport['status'], given: Record<string, unknown> = { refundAddress: WALLET }): Stage =>
    async (outcome) => {
      const { merchant, apply, deposits } = await begin(given)
      await apply([report({ status, failureReason: status === 'failed' ? 'delivery_failed' : null })])
      const [{ id }] = await deposits()
      const delivered = outcome === 'completed' ? { amount: '0.99' } : {}
      return {
        id,
        organisationId: merchant.organisationId,
        input: { depositId: id, evidence: 'Ticket 1', ...delivered },
      }
    }
  endingsContract(service, operators.endings ?? [], {
    payment_route_deposit: {
      pending: stage('pending'),
      completed: stage('completed'),
      failed: stage('failed'),
      refunded: stage('refunded', {}),
    },
  })
})

test('commands of an operator that record deposits beside others that settle them never wait for each other in a circle', async () => {
  const { merchant, apply, deposits } = await begin()
  const { id: other } = await newRoute(merchant, { refundAddress: WALLET, originChainKey: 'polygon' })
  await apply(Array.from({ length: 8 }, () => report()))
  const pending: { id: string }[] = await deposits()
  const deadlocks = async () => {
    await service.runtime.pool.query('select pg_stat_force_next_flush()')
    const { rows } = await service.runtime.pool.query<{ n: string }>(
      'select deadlocks::text as n from pg_stat_database where datname = current_database()',
    )
    return Number(rows[0]?.n)
  }
  const before = await deadlocks()
  const given = { outcome: 'completed', evidence: 'Seen on chain', reason: 'By hand', amount: '0.99' }
  const answers = await Promise.all(
    pending.flatMap(({ id: deposit }) => [
      ops(`payment-routes/deposits/${deposit}/settle`, given),
      ops(`payment-routes/${other}/deposits/settle`, { ...given, receivedAmount: '1', txHash: hash() }),
    ]),
  )
  expect(answers.map(({ status, message }) => `${status} ${message}`)).toEqual(
    answers.map(() => expect.stringMatching(/^200 /)),
  )
  expect(await deadlocks()).toBe(before)
  await expectConsistent(service)
})
