import { newId } from '@payments/kernel'
import { trialBalance } from '@payments/ledger'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  bookOf,
  fund,
  newMerchant,
  newOfframp,
  newRoute,
  startMailbox,
  startService,
  suspenseOf,
  tableContents,
  useService,
} from '#testing'
import { find, operator, ops, TWO_OPERATORS } from '../../test/operators.ts'

const service = useService({ settings: TWO_OPERATORS })
// What one test moved does not count in another.
beforeEach(() => service.runtime.pool.query('delete from operator_amounts'))
const second = () => operator(service, 'second@example.com')

/** A merchant with money in suspense, in minor units of USDC. */
async function withSuspense(amount: bigint) {
  const merchant = await newMerchant(service)
  const book = bookOf(service.runtime, merchant.organisationId)
  await suspenseOf(service.runtime, merchant.organisationId, amount)
  const balances = async () => {
    const lines = await trialBalance(book.read(), merchant.organisationId)
    return Object.fromEntries(lines.map(({ purpose, balance }) => [purpose, balance]))
  }
  const move = (amountText: string, to = 'fees') => ({
    organisationId: merchant.organisationId,
    environment: 'test',
    asset: 'USDC',
    amount: amountText,
    to,
  })
  return { merchant, balances, move }
}

test('a dry run of a command says what it would do and answer, and changes no table', async () => {
  const { id } = await newRoute(await newMerchant(service))
  const grace = await operator(service)
  const input = { paymentRouteId: id, reason: 'To see' }
  const tried = () => find(service, grace, 'dry-runs', { command: 'admin.paymentRoutes.pause', input })
  await tried()
  await service.process.requestLog.flush()
  await service.process.providerCalls.flush()
  const before = await tableContents(service.database)
  expect(await tried()).toMatchObject({
    effects: [{ kind: 'change', resourceId: id, summary: 'payment_route.updated: active → paused' }],
    reply: { id, status: 'paused' },
  })
  const after = await tableContents(service.database)
  const changed = [...after.keys()].filter((table) => after.get(table) !== before.get(table))
  // What every request counts or records, and when the queue was last maintained.
  expect(changed.filter((table) => !/pgboss\.version|rate_limits|request_log|sessions|api_keys/.test(table))).toEqual(
    [],
  )
})

test('a dry run names an existing object also when the clock steps back', async () => {
  const { id } = await newRoute(await newMerchant(service))
  const grace = await operator(service)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3000 })
  try {
    const input = { paymentRouteId: id, reason: 'To see' }
    const { effects } = await find(service, grace, 'dry-runs', { command: 'admin.paymentRoutes.pause', input })
    expect(effects).toMatchObject([{ resourceId: id }])
  } finally {
    vi.useRealTimers()
  }
})

test('a dry run fails as the command would, and refuses what asks a provider first and what is no operator’s command', async () => {
  const { id } = await newRoute(await newMerchant(service))
  const grace = await operator(service)
  const tried = async (command: string, input: object) =>
    (await ops(service, grace, 'POST dry-runs', { command, input, reason: undefined })).status
  const reason = 'To see'
  expect(await tried('admin.paymentRoutes.resume', { paymentRouteId: id, reason })).toBe(409)
  expect(await tried('admin.fiat.resolve', { orderId: id })).toBe(422)
  expect(await tried('admin.paymentRoutes.syncDeposits', { paymentRouteId: id, reason })).toBe(409)
  for (const command of ['paymentRoutes.create', 'admin.organisations.list', 'toString', 'no.such'])
    expect([command, await tried(command, {})]).toEqual([command, 404])
})

test('suspense is resolved with an entry that never takes more than is there, and that is reversed once', async () => {
  const { merchant, balances, move } = await withSuspense(5_000_000n)
  const grace = await operator(service)
  const resolve = (amount: string) => ops(service, grace, 'POST ledger/suspense/resolve', move(amount))
  expect((await resolve('5.000001')).status).toBe(422)
  const answers = await Promise.all(['3', '3', '3'].map(resolve))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422])
  expect(await balances()).toEqual({ external: '-5000000', suspense: '2000000', fees: '3000000' })
  const { rows } = await service.runtime.pool.query(
    "select id from ledger_entries where organisation_id = $1 and source_type = 'correction'",
    [merchant.organisationId],
  )
  const tenant = { organisationId: merchant.organisationId, environment: 'test' }
  const reverse = (entryId: string) => ops(service, grace, 'POST ledger/entries/reverse', { ...tenant, entryId })
  const reversed = await Promise.all([reverse(rows[0].id), reverse(rows[0].id)])
  expect(reversed.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await balances()).toEqual({ external: '-5000000', suspense: '5000000', fees: '0' })
  expect((await ops(service, grace, 'GET ledger/check')).body.data.findings).toEqual([])
})

test('the balances in suspense are listed over all organisations, until nothing is left of them', async () => {
  const { merchant, move } = await withSuspense(5_000_000n)
  const grace = await operator(service)
  const listed = async () => {
    const { accounts } = (await ops(service, grace, 'GET ledger/suspense')).body.data
    return accounts.filter((each: { organisationId: string }) => each.organisationId === merchant.organisationId)
  }
  expect(await listed()).toMatchObject([{ purpose: 'suspense', asset: 'USDC', balance: '5', environment: 'test' }])
  expect((await ops(service, grace, 'POST ledger/suspense/resolve', move('5'))).status).toBe(200)
  expect(await listed()).toEqual([])
})

test('suspense of an organisation or for a customer that does not exist, and an amount that the asset does not have, are refused', async () => {
  const { balances, move } = await withSuspense(5_000_000n)
  const grace = await operator(service)
  const resolve = async (input: object) => {
    const { status, body } = await ops(service, grace, 'POST ledger/suspense/resolve', { ...move('1'), ...input })
    return [status, body.errors ?? body.message]
  }
  expect(await resolve({ organisationId: newId() })).toEqual([422, { amount: 'Insufficient balance' }])
  expect(await resolve({ to: 'available', customerId: newId() })).toEqual([422, { customerId: 'Customer not found' }])
  expect(await resolve({ amount: '0' })).toEqual([422, { amount: 'Must be greater than zero' }])
  expect(await resolve({ amount: '0.0000001' })).toEqual([422, { amount: 'USDC has at most 6 decimals' }])
  expect(await balances()).toEqual({ external: '-5000000', suspense: '5000000' })
})

test('an entry of an object is not reversed', async () => {
  const { merchant } = await withSuspense(1n)
  const { rows } = await service.runtime.pool.query('select id from ledger_entries where organisation_id = $1', [
    merchant.organisationId,
  ])
  const input = { organisationId: merchant.organisationId, environment: 'test', entryId: rows[0].id }
  const refused = await ops(service, await operator(service), 'POST ledger/entries/reverse', input)
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'This entry follows from the state of an object: change the object instead',
  ])
})

test('an action on money needs a session that was confirmed within ten minutes', async () => {
  const { balances, move } = await withSuspense(5_000_000n)
  const grace = await operator(service)
  await service.runtime.pool.query(
    "update sessions set confirmed_at = now() - interval '11 minutes' where user_id = $1",
    [grace.userId],
  )
  const refused = await ops(service, grace, 'POST ledger/suspense/resolve', move('1'))
  expect([refused.status, refused.body.message]).toEqual([403, 'Confirm the session first: POST /auth/confirm'])
  expect((await balances()).suspense).toBe('5000000')
  await service.runtime.pool.query('update sessions set confirmed_at = now() where user_id = $1', [grace.userId])
})

test('above the limit a command runs once another operator approves it, and not when it is declined or a day has passed', async () => {
  const { balances, move } = await withSuspense(5_000_000_000n)
  const [grace, ada] = [await operator(service), await second()]
  const command = 'admin.ledger.resolveSuspense'
  const refused = await ops(service, grace, 'POST ledger/suspense/resolve', move('1000.000001'))
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'Another operator must approve this: request it with POST /admin/ops/approvals',
  ])
  const request = async () => {
    const { status, text, body } = await ops(service, grace, 'POST approvals', { command, input: move('2000') })
    expect(status, text).toBe(201)
    return body.data
  }
  const [approved, declined, expired] = [await request(), await request(), await request()]
  expect(approved.effects.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['approval', 'posting', 'posting'])
  expect((await ops(service, ada, `POST approvals/${declined.id}/decline`)).body.data.status).toBe('declined')
  await service.runtime.pool.query(
    "update operator_approvals set expires_at = now() - interval '1 second' where id = $1",
    [expired.id],
  )
  const approve = async (by: typeof grace, id: string) =>
    (await ops(service, by, `POST approvals/${id}/approve`)).status
  expect(await approve(grace, approved.id)).toBe(403)
  const statuses = await Promise.all([approve(ada, approved.id), approve(ada, approved.id)])
  expect(statuses.sort()).toEqual([200, 409])
  expect([await approve(ada, declined.id), await approve(ada, expired.id)]).toEqual([409, 409])
  expect(await balances()).toEqual({ external: '-5000000000', suspense: '3000000000', fees: '2000000000' })
  const { approvals } = await find(service, grace, 'approvals/search')
  const listed = new Map(approvals.map((each: { id: string; status: string }) => [each.id, each.status]))
  expect([approved, declined, expired].map(({ id }) => listed.get(id))).toEqual(['approved', 'declined', 'expired'])
})

test('a request for approval is emailed to the other operators with its effects, and to nobody where it is refused', async () => {
  const mailbox = await startMailbox()
  const own = await startService({ worker: true, settings: { ...TWO_OPERATORS, SMTP_URL: mailbox.url } })
  try {
    const merchant = await newMerchant(own)
    await suspenseOf(own.runtime, merchant.organisationId, 5_000_000_000n)
    const grace = await operator(own)
    const { organisationId } = merchant
    const input = { organisationId, environment: 'test', asset: 'USDC', amount: '2000', to: 'fees' }
    const ask = (amount: string) =>
      ops(own, grace, 'POST approvals', { command: 'admin.ledger.resolveSuspense', input: { ...input, amount } })
    expect((await ask('9000')).status).toBe(422)
    expect((await ask('2000')).status).toBe(201)
    const { raw } = await mailbox.emailTo('second@example.com')
    const text = raw.replaceAll(/=\r?\n/g, '')
    for (const part of ['Approval needed: ', '2000 USDC', 'operator@', 'Asked for', '/console/approvals'])
      expect(text).toContain(part)
    expect(mailbox.emails.filter(({ to }) => to !== 'second@example.com')).toEqual([])
    expect(mailbox.emails).toHaveLength(1)
  } finally {
    await mailbox.close()
    await own.stop()
  }
})

test('a command that fails when it is approved stays to be approved; one without money needs no approval', async () => {
  const { balances, move } = await withSuspense(3_000_000_000n)
  const [grace, ada] = [await operator(service), await second()]
  const command = 'admin.ledger.resolveSuspense'
  const { id } = (await ops(service, grace, 'POST approvals', { command, input: move('2000') })).body.data
  const other = (await ops(service, grace, 'POST approvals', { command, input: move('1500') })).body.data
  expect((await ops(service, ada, `POST approvals/${other.id}/approve`)).status).toBe(200)
  expect((await ops(service, ada, `POST approvals/${id}/approve`)).status).toBe(422)
  expect((await balances()).suspense).toBe('1500000000')
  const { approvals } = await find(service, grace, 'approvals/search', { status: 'pending' })
  expect(approvals.map((each: { id: string }) => each.id)).toContain(id)
  const route = await newRoute(await newMerchant(service))
  const input = { paymentRouteId: route.id }
  expect((await ops(service, grace, 'POST approvals', { command: 'admin.paymentRoutes.pause', input })).status).toBe(
    422,
  )
})

describe('an approval', () => {
  /** A funded offramp of 1,500 USDC whose settlement the first operator has requested. */
  async function requested() {
    const merchant = await newMerchant(service)
    const { id, deposit } = await newOfframp(merchant, { amount: '1500' })
    const context = { organisationId: merchant.organisationId, environment: merchant.environment }
    await fund(merchant, 'offramp', id)
    const [grace, ada] = [await operator(service), await second()]
    const synced = await ops(service, grace, `POST fiat/orders/${id}/sync`)
    expect(synced.body.data.status, synced.text).toBe('processing')
    const input = { orderId: id, outcome: 'refunded' }
    const { body, text, status } = await ops(service, grace, 'POST approvals', { command: 'admin.fiat.settle', input })
    expect(status, text).toBe(201)
    const approve = () => ops(service, ada, `POST approvals/${body.data.id}/approve`)
    const show = async () => (await merchant.call(`GET /v1/offramps/${id}`)).body.data
    return { id, grace, ada, approve, show, deposit, ...context }
  }

  test('runs with exactly the effects that were shown: an amount that changed since then is a conflict, and nothing is moved', async () => {
    const { id, approve, show } = await requested()
    await service.runtime.pool.query('update offramps set received_amount = 90000000000 where id = $1', [id])
    const refused = await approve()
    expect([refused.status, refused.body.message]).toEqual([409, 'The effects have changed'])
    expect(await show()).toMatchObject({ status: 'processing', refund: null })
    await service.runtime.pool.query('update offramps set received_amount = deposit_amount where id = $1', [id])
    expect((await approve()).status).toBe(200)
    expect(await show()).toMatchObject({ status: 'failed', refund: { status: 'completed' } })
  })

  test('of a command that creates objects runs although their ids are new each time', async () => {
    const { move, balances } = await withSuspense(4_000_000_000n)
    const [grace, ada] = [await operator(service), await second()]
    const command = 'admin.ledger.resolveSuspense'
    const { effects, id } = (await ops(service, grace, 'POST approvals', { command, input: move('3000') })).body.data
    expect(effects.map(({ resourceId }: { resourceId: string | null }) => resourceId)).toEqual([null, null, null])
    expect((await ops(service, ada, `POST approvals/${id}/approve`)).status).toBe(200)
    expect(await balances()).toMatchObject({ suspense: '1000000000', fees: '3000000000' })
  })

  test('needs a requester who is still an operator when it runs', async () => {
    const { grace, approve, show } = await requested()
    await service.runtime.pool.query('update users set email = $2 where id = $1', [
      grace.userId,
      `${newId()}@example.com`,
    ])
    const refused = await approve()
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The operator who requested this is no operator any more',
    ])
    expect((await show()).status).toBe('processing')
    await service.runtime.pool.query('update users set email = $2 where id = $1', [grace.userId, grace.email])
    expect((await approve()).status).toBe(200)
  })
})

describe('the limit of an operator', () => {
  test('is the sum of a UTC day: parts cannot avoid it, at the same time neither, and another operator or day begins anew', async () => {
    const { move, balances } = await withSuspense(9_000_000_000n)
    const [grace, ada] = [await operator(service), await second()]
    const resolve = async (by: typeof grace, amount: string) =>
      (await ops(service, by, 'POST ledger/suspense/resolve', move(amount))).status
    const parts = await Promise.all(['300', '300', '300', '300', '300'].map((amount) => resolve(grace, amount)))
    expect(parts.sort()).toEqual([200, 200, 200, 403, 403])
    expect(await resolve(grace, '100.000001')).toBe(403)
    expect(await resolve(grace, '100')).toBe(200)
    expect(await resolve(grace, '0.000001')).toBe(403)
    expect(await resolve(ada, '1000')).toBe(200)
    await service.runtime.pool.query('update operator_amounts set day = day - 1')
    expect(await resolve(grace, '1000')).toBe(200)
    expect(await balances()).toMatchObject({ fees: '3000000000' })
  })

  test('counts neither what fails, nor a dry run, nor what a second operator approved', async () => {
    const { move, balances } = await withSuspense(2_900_000_000n)
    const [grace, ada] = [await operator(service), await second()]
    const command = 'admin.ledger.resolveSuspense'
    expect((await ops(service, grace, 'POST ledger/suspense/resolve', move('999', 'nowhere'))).status).toBe(422)
    await find(service, grace, 'dry-runs', { command, input: { ...move('999'), reason: 'To see' } })
    const { id } = (await ops(service, grace, 'POST approvals', { command, input: move('1900') })).body.data
    expect((await ops(service, ada, `POST approvals/${id}/approve`)).status).toBe(200)
    expect((await ops(service, grace, 'POST ledger/suspense/resolve', move('1000'))).status).toBe(200)
    expect(await balances()).toMatchObject({ suspense: '0' })
  })
})
