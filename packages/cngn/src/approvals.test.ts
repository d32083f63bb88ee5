import { system } from '@payments/kernel'
import { type QueryContext, queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import {
  advance,
  call,
  cngnBodies,
  dyingEverywhere,
  expectConsistent,
  journal,
  type Merchant,
  newCngn,
  newMerchant,
  signedIn,
  useService,
} from '#testing'
import { balanceOf, enabled, eventsOf, moveOn, sendWaiting, show } from '../test/money.ts'
import { approve, prepareApproval, reject } from './transfers/answers.ts'
import { expireApprovals } from './transfers/approvals.ts'
import { createWithdrawal } from './transfers/withdrawals.ts'

const service = useService()

const out = {
  payouts: cngnBodies.payouts,
  withdrawals: cngnBodies.withdrawals,
  converts: {
    ...{ fromCurrency: 'cNGN', toCurrency: 'USDC', networkKey: 'base' },
    destinationAddress: cngnBodies.withdrawals.address,
  },
} as const
type Plural = keyof typeof out
const plurals = Object.keys(out) as Plural[]

const member = async ({ organisationId }: Merchant, role: 'owner' | 'finance' | 'developer' | 'viewer' | 'member') =>
  signedIn(service.runtime, { organisationId, role })
const answer = (token: string, id: string, how: 'approve' | 'reject') =>
  call(service, `POST /v1/payout-approvals/${id}/${how}`, { token, key: null, body: {} })
const rule = (merchant: Merchant, from: unknown) =>
  merchant.call('PATCH /v1/payout-controls', { body: { approval: { from } } })

/** A merchant whose payouts from 1,000 cNGN a day on need a second person, with a customer who has 20,000. */
async function begin(from = '1000') {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '20000')
  const changed = await rule(merchant, { cNGN: from })
  expect(changed.status, changed.text).toBe(200)
  return { merchant, customerId }
}
const create = (merchant: Merchant, customerId: string, amount = '2000', plural: Plural = 'withdrawals') =>
  newCngn(merchant, plural, customerId, { ...out[plural], amount })
const sends = async (id: string) =>
  (await service.runtime.pool.query('select status from cngn_sends where id = $1', [id])).rows.length
const left = async ({ organisationId }: Merchant) =>
  (
    await service.runtime.pool.query(
      "select count(*)::int as count, coalesce(sum(amount), 0)::text as sum from sandbox_cngn_transactions where account = $1 and channel in ('payout', 'withdrawal')",
      [organisationId],
    )
  ).rows[0]
const overdue = (id: string) =>
  service.runtime.pool.query(
    "update cngn_transfers set approval_expires_at = now() - interval '1 second' where id = $1",
    [id],
  )
const expire = (runtime: Runtime = service.runtime) => expireApprovals.run(runtime, {}, new AbortController().signal)

test.each(plurals)(
  'one of the %s at the limit waits: nothing is sent until a second person approves it, then once',
  async (plural) => {
    const { merchant, customerId } = await begin()
    const made = await create(merchant, customerId, '2000', plural)
    expect(made).toMatchObject({
      status: 'pending',
      approval: { id: made.id, status: 'waiting', requestedBy: null, decidedBy: null },
    })
    await moveOn(service, merchant, 3)
    expect([await sends(made.id), (await left(merchant)).count]).toEqual([0, 0])
    expect(await balanceOf(merchant, customerId)).toEqual(['18000', '0'])
    const second = await member(merchant, 'finance')
    const approved = await answer(second.accessToken, made.id, 'approve')
    expect(approved.status, approved.text).toBe(200)
    expect(approved.body.data).toMatchObject({
      ...{ id: made.id, objectId: made.id, kind: plural.slice(0, -1), status: 'approved', decidedBy: second.userId },
      ...{ amount: '2000', currency: 'cNGN' },
    })
    for (let times = 0; times < 4; times++) await moveOn(service, merchant, 5)
    expect((await show(merchant, plural, made.id)).status).toBe('completed')
    expect(await left(merchant)).toEqual({ count: 1, sum: '2000000000' })
    expect((await answer(second.accessToken, made.id, 'approve')).status).toBe(409)
    await expectConsistent(service)
  },
)

test('a rejected payout fails with its reason, and its money is back', async () => {
  const { merchant, customerId } = await begin()
  const { id } = await create(merchant, customerId)
  const second = await member(merchant, 'owner')
  const rejected = await answer(second.accessToken, id, 'reject')
  expect(rejected.body.data).toMatchObject({ status: 'rejected', decidedBy: second.userId })
  expect(await show(merchant, 'withdrawals', id)).toMatchObject({
    ...{ status: 'failed', failureReason: 'approval_rejected', approval: { status: 'rejected' } },
  })
  expect(await balanceOf(merchant, customerId)).toEqual(['20000', '0'])
  expect(await eventsOf(service, id)).toEqual(['>pending', 'pending>failed'])
  await expectConsistent(service)
})

test('what nobody approves in 72 hours fails with its reason; not a moment before, and an answer after that is too late', async () => {
  const { merchant, customerId } = await begin()
  const { id, approval } = await create(merchant, customerId)
  const waits = Date.parse(approval.expiresAt) - Date.now()
  expect(Math.abs(waits - 72 * 3_600_000)).toBeLessThan(60_000)
  await expire()
  expect((await show(merchant, 'withdrawals', id)).status).toBe('pending')
  await overdue(id)
  const second = await member(merchant, 'finance')
  expect((await answer(second.accessToken, id, 'approve')).body.message).toContain('does not wait')
  await expire()
  await expire()
  expect(await show(merchant, 'withdrawals', id)).toMatchObject({
    ...{ status: 'failed', failureReason: 'approval_expired', approval: { status: 'expired', decidedBy: null } },
  })
  expect(await balanceOf(merchant, customerId)).toEqual(['20000', '0'])
  await expectConsistent(service)
})

test('the sandbox clock moves the end of an approval, and what ends by it fails at once', async () => {
  const { merchant, customerId } = await begin()
  const { id, approval } = await create(merchant, customerId)
  await advance(merchant, 48 * 3600)
  await expire()
  const moved = await show(merchant, 'withdrawals', id)
  expect(moved.status).toBe('pending')
  expect(Date.parse(approval.expiresAt) - Date.parse(moved.approval.expiresAt)).toBe(48 * 3_600_000)
  const queued = () =>
    service.runtime.pool.query("select from pgboss.job where name = 'cngn.expire-approval' and state = 'created'")
  const before = (await queued()).rowCount ?? 0
  await advance(merchant, 24 * 3600)
  expect((await queued()).rowCount).toBe(before + 1)
  await expire()
  expect(await show(merchant, 'withdrawals', id)).toMatchObject({ status: 'failed', failureReason: 'approval_expired' })
  expect(await balanceOf(merchant, customerId)).toEqual(['20000', '0'])
})

test('parts count like the whole, also at the same time: without an approval, less than the limit leaves on one day', async () => {
  const { merchant, customerId } = await begin()
  const made = await Promise.all(Array.from({ length: 12 }, () => create(merchant, customerId, '300')))
  expect(made.filter(({ approval }) => approval === null)).toHaveLength(3)
  // What is below what is left of the day is sent still; 100 would reach the limit.
  expect((await create(merchant, customerId, '99.99')).approval).toBeNull()
  expect((await create(merchant, customerId, '1')).approval).toMatchObject({ status: 'waiting' })
  await service.runtime.pool.query('update payout_approval_rules set day = day - 1 where organisation_id = $1', [
    merchant.organisationId,
  ])
  expect((await create(merchant, customerId, '999.999999')).approval).toBeNull()
})

test('nobody answers what they asked themselves, nor without the role; of what a key asked, any owner or finance member', async () => {
  const { merchant, customerId } = await begin()
  const asker = await member(merchant, 'finance')
  const made = await call(service, 'POST /v1/cngn/withdrawals', {
    ...{ token: asker.accessToken, key: null },
    body: { customerId, ...out.withdrawals, amount: '2000' },
  })
  expect(made.status, made.text).toBe(201)
  const { id, approval } = made.body.data
  expect(approval.requestedBy).toBe(asker.userId)
  for (const how of ['approve', 'reject'] as const) {
    expect((await answer(asker.accessToken, id, how)).body.message).toContain('you asked for this payout')
    for (const role of ['developer', 'viewer'] as const)
      expect((await answer((await member(merchant, role)).accessToken, id, how)).status).toBe(403)
    expect((await merchant.call(`POST /v1/payout-approvals/${id}/${how}`, { body: {} })).body.message).toBe(
      'Dashboard session required',
    )
    const stranger = await member(await newMerchant(service), 'owner')
    expect((await answer(stranger.accessToken, id, how)).status).toBe(404)
  }
  expect((await show(merchant, 'withdrawals', id)).approval.status).toBe('waiting')
  expect((await answer((await member(merchant, 'member')).accessToken, id, 'approve')).status).toBe(200)
})

test('everybody who may approve is told once, until when in the zone of the organisation, with a button to the payout, but not who asked', async () => {
  const { merchant, customerId } = await begin()
  await service.runtime.pool.query("update organisations set time_zone = 'Asia/Kolkata' where id = $1", [
    merchant.organisationId,
  ])
  const [asker, finance, developer] = [
    await member(merchant, 'finance'),
    await member(merchant, 'finance'),
    await member(merchant, 'developer'),
  ]
  const made = await call(service, 'POST /v1/cngn/withdrawals', {
    ...{ token: asker.accessToken, key: null },
    body: { customerId, ...out.withdrawals, amount: '2000' },
  })
  const { id } = made.body.data
  const { rows } = await service.runtime.pool.query<{ box: string }>(
    "select data->>'box' as box from pgboss.job where name = 'accounts.mail'",
  )
  const about = rows
    .map(
      ({ box }) =>
        JSON.parse(service.runtime.keyring.decrypt(box, 'mail')) as Record<'to' | 'subject' | 'text', string>,
    )
    .filter(({ text }) => text.includes(id))
  const to = (email: string) => about.filter((each) => each.to === email)
  expect([to(asker.email).length, to(finance.email).length, to(developer.email).length]).toEqual([0, 1, 0])
  expect(to(finance.email)[0]?.subject).toBe('[Test] Approve a withdrawal of 2,000 cNGN')
  expect(to(finance.email)[0]?.text).toContain(`/dashboard/test/cngn/withdrawals/${id}`)
  const until = new Date(Date.parse(made.body.data.approval.expiresAt) + 5.5 * 3_600_000).toISOString()
  expect(to(finance.email)[0]?.text).toContain(`${until.slice(11, 16)} GMT+5:30`)
  const shown = await call(service, 'GET /v1/notifications', { token: finance.accessToken, key: null })
  const told = shown.body.data.notifications.filter(({ type }: { type: string }) => type === 'payout.approval')
  expect(told).toMatchObject([{ resource: { type: 'cngn_withdrawal', id } }])
})

test('of an approval, a rejection and the expiry at the same moment, one wins', async () => {
  const { merchant, customerId } = await begin()
  const tokens = [await member(merchant, 'finance'), await member(merchant, 'owner')].map((each) => each.accessToken)
  for (let round = 0; round < 6; round++) {
    const { id } = await create(merchant, customerId)
    // In the later rounds it expires while they answer.
    const seconds = round < 3 ? 60 : (round - 2) * 0.02
    await service.runtime.pool.query(
      'update cngn_transfers set approval_expires_at = clock_timestamp() + make_interval(secs => $2) where id = $1',
      [id, seconds],
    )
    const expiry = expire()
    const results = await Promise.all([
      ...tokens.flatMap((token) => [answer(token, id, 'approve'), answer(token, id, 'reject')]),
    ])
    await expiry
    await overdue(id)
    await expire()
    const row = await show(merchant, 'withdrawals', id)
    expect(await sends(id)).toBe(row.approval.status === 'approved' ? 1 : 0)
    const { status } = row.approval
    expect(row.failureReason).toBe(status === 'approved' ? null : `approval_${status}`)
    const won = results.filter((each) => each.status === 200).map(({ body }) => body.data.status)
    expect(won).toEqual(status === 'expired' ? [] : [status])
  }
  await expectConsistent(service)
})

test('what becomes of an approval is in the next event of its object and in the list of transactions', async () => {
  const { merchant, customerId } = await begin()
  const ids = [
    await create(merchant, customerId),
    await create(merchant, customerId),
    await create(merchant, customerId),
  ]
  const [approved, rejected, expired] = ids.map(({ id }) => id as string) as [string, string, string]
  const second = await member(merchant, 'finance')
  const listed = async () => (await merchant.call('GET /v1/payout-approvals?status=waiting')).body.data
  expect((await listed()).total).toBe(3)
  await answer(second.accessToken, approved, 'approve')
  await answer(second.accessToken, rejected, 'reject')
  await overdue(expired)
  await expire()
  await sendWaiting(service, merchant)
  expect(await listed()).toEqual({ approvals: [], total: 0 })
  const told = async (id: string) =>
    (
      await service.runtime.pool.query<{ type: string; data: { status: string; approval: Record<string, unknown> } }>(
        "select type, payload->'data' as data from events where resource_id = $1 order by id",
        [id],
      )
    ).rows.map(({ type, data: { status, approval } }) => [type, status, approval.status, approval.decidedBy])
  for (const [id, became, status, by] of [
    [approved, 'processing', 'approved', second.userId],
    [rejected, 'failed', 'rejected', second.userId],
    [expired, 'failed', 'expired', null],
  ] as const) {
    expect((await told(id)).slice(0, 2)).toEqual([
      ['cngn.withdrawal.created', 'pending', 'waiting', null],
      ['cngn.withdrawal.updated', became, status, by],
    ])
    const { rows } = await service.runtime.pool.query(
      "select receipt->>'approvalStatus' as shown from transactions where receipt->>'transferId' = $1",
      [id],
    )
    expect(rows).toEqual([{ shown: status }])
  }
})

test('the list shows the approvals of the organisation, newest first, and null ends the rule', async () => {
  const { merchant, customerId } = await begin()
  const ids = [await create(merchant, customerId), await create(merchant, customerId, '3000', 'payouts')].map(
    ({ id }) => id,
  )
  const listed = await merchant.call('GET /v1/payout-approvals')
  expect([listed.body.data.total, listed.body.data.approvals.map(({ id }: { id: string }) => id)]).toEqual([
    2,
    ids.toReversed(),
  ])
  expect((await merchant.call('GET /v1/payout-controls')).body.data.approval).toEqual({ from: { cNGN: '1000' } })
  expect((await rule(merchant, null)).body.data.approval).toEqual({ from: null })
  expect((await create(merchant, customerId)).approval).toBeNull()
  expect((await rule(merchant, { cNGN: '1.0000001' })).status).toBe(422)
  expect((await rule(merchant, { USDC: '1' })).status).toBe(422)
})

test('an operator settles a waiting payout as failed, which ends its approval, and not as completed', async () => {
  const { merchant, customerId } = await begin()
  const { id } = await create(merchant, customerId)
  const token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  const settle = (outcome: string) =>
    call(service, `POST /v1/admin/ops/cngn/transfers/${id}/settle`, {
      ...{ token, key: null },
      body: { outcome, evidence: 'Asked by phone', reason: 'Asked by phone' },
    })
  expect((await settle('completed')).status).toBe(409)
  const failed = await settle('failed')
  expect(failed.status, failed.text).toBe(200)
  expect((await show(merchant, 'withdrawals', id)).approval.status).toBe('rejected')
  expect(await balanceOf(merchant, customerId)).toEqual(['20000', '0'])
  await expectConsistent(service)
})

test('a crash before any statement of creation, approval, rejection and expiry, commits included, loses and doubles nothing', async () => {
  const { merchant, customerId } = await begin('1000')
  const { organisationId } = merchant
  const { userId } = await member(merchant, 'finance')
  const as = (runtime: Runtime): QueryContext =>
    queryContext(runtime, { ...system(organisationId, 'test'), kind: 'session', role: 'finance', userId })
  const ids: string[] = []
  const statusOf = async (id: string) => (await show(merchant, 'withdrawals', id)).approval.status
  const made = await dyingEverywhere(service, async (runtime) => {
    const context = queryContext(runtime, system(organisationId, 'test'))
    const body = { customerId, ...out.withdrawals, amount: '1000' }
    ids.push((await unitOfWork(context, (unit) => createWithdrawal(unit, body))).id)
  })
  expect(made).toBe(1)
  const { rows } = await service.runtime.pool.query<{ id: string }>(
    'select id from cngn_transfers where organisation_id = $1 and approval_status is not null',
    [organisationId],
  )
  expect(rows).toEqual([{ id: ids[0] }])
  expect(await balanceOf(merchant, customerId)).toEqual(['19000', '0'])
  const rejecting = await create(merchant, customerId, '1000')
  const expiring = await create(merchant, customerId, '1000')
  const [approving] = ids as [string]
  const cuts = [
    await dyingEverywhere(
      service,
      async (runtime) => {
        if ((await statusOf(approving)) === 'approved') return
        const prepared = await prepareApproval(as(runtime), { approvalId: approving })
        await unitOfWork(as(runtime), (unit) => approve(unit, approving, prepared))
      },
      async (cut) =>
        expect(await sends(approving)).toBe((await statusOf(approving)) === 'approved' ? 1 : cut === null ? 1 : 0),
    ),
    await dyingEverywhere(service, async (runtime) => {
      if ((await statusOf(rejecting.id)) === 'rejected') return
      await unitOfWork(as(runtime), (unit) => reject(unit, rejecting.id))
    }),
  ]
  await overdue(expiring.id)
  cuts.push(await dyingEverywhere(service, (runtime) => expire(runtime)))
  expect(cuts).toEqual([1, 1, 1])
  await sendWaiting(service, merchant)
  for (let times = 0; times < 3; times++) await moveOn(service, merchant, 5)
  expect(await left(merchant)).toEqual({ count: 1, sum: '1000000000' })
  expect(await balanceOf(merchant, customerId)).toEqual(['19000', '0'])
  expect(await journal(service, merchant)).toEqual({ 'available cNGN': '19000000000', 'external cNGN': '-19000000000' })
  await expectConsistent(service)
})
