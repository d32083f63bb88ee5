import { bind } from '@payments/kernel'
import { providers } from '@payments/platform'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { advance, call, expectConsistent, type Merchant, newCngn, newMerchant, signedIn, useService } from '#testing'
import { balanceOf, enabled, eventsOf, moveOn, readList, sendWaiting, show } from '../test/money.ts'
import { type CngnProvider, cngnProvider } from './provider/provider.ts'

const service = useService()
let operator: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})
afterEach(() => fault('down', 0))

async function fault(mode: 'down' | 'slow' | 'forgets', seconds: number, provider = 'cngn'): Promise<void> {
  const answer = await call(service, 'POST /v1/admin/ops/sandbox/faults', {
    token: operator,
    key: null,
    body: { provider, mode, seconds, reason: 'Asked for' },
  })
  expect(answer.status, answer.text).toBe(200)
}
const movements = async ({ organisationId }: Merchant) =>
  (
    await service.runtime.pool.query(
      "select 1 from sandbox_cngn_transactions where account = $1 and channel in ('payout', 'withdrawal')",
      [organisationId],
    )
  ).rowCount
const sends = async ({ organisationId }: Merchant) =>
  (
    await service.runtime.pool.query(
      "select attempts, reference, sent_at, error, status = 'ended' as ended from cngn_sends where organisation_id = $1",
      [organisationId],
    )
  ).rows
const operatorsSee = async ({ organisationId }: Merchant) =>
  (await call(service, 'GET /v1/admin/ops/cngn/transfers', { token: operator })).body.data.transfers.filter(
    (each: { organisationId: string }) => each.organisationId === organisationId,
  )

test('a payout whose answer was lost is found by amount, destination and time, and not sent again', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  await fault('forgets', 60)
  await sendWaiting(service, merchant)
  expect(await show(merchant, 'payouts', id)).toMatchObject({ status: 'processing', providerOutcome: 'unknown' })
  expect(await operatorsSee(merchant)).toMatchObject([{ id, attempts: 1, error: 'cngn_provider_unavailable' }])
  await sendWaiting(service, merchant)
  await fault('forgets', 0)
  await moveOn(service, merchant)
  expect(await show(merchant, 'payouts', id)).toMatchObject({ status: 'processing', providerOutcome: null })
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'payouts', id)).status).toBe('completed')
  expect([await movements(merchant), (await sends(merchant))[0].attempts]).toEqual([1, 1])
  expect(await eventsOf(service, id)).toEqual(['>pending', 'pending>processing', 'processing>completed'])
  await expectConsistent(service)
})

test('a payout that did not reach the provider is sent again once its list is certain to show it, not before', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  await fault('down', 60)
  await sendWaiting(service, merchant)
  await fault('down', 0)
  await readList(service, merchant)
  await sendWaiting(service, merchant)
  expect([await movements(merchant), (await sends(merchant))[0].attempts]).toEqual([0, 1])
  await service.runtime.pool.query("update cngn_sends set sent_at = sent_at - interval '6 seconds' where id = $1", [id])
  await readList(service, merchant)
  await moveOn(service, merchant)
  expect([await movements(merchant), (await sends(merchant))[0].attempts]).toEqual([1, 2])
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'payouts', id)).status).toBe('completed')
  await expectConsistent(service)
})

test('of two equal payouts the second waits until the first is known, and each gets a movement of its own', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const ids = [(await newCngn(merchant, 'payouts', customerId)).id, (await newCngn(merchant, 'payouts', customerId)).id]
  await fault('forgets', 60)
  await sendWaiting(service, merchant)
  await sendWaiting(service, merchant)
  await fault('forgets', 0)
  expect(await movements(merchant)).toBe(1)
  await moveOn(service, merchant)
  await moveOn(service, merchant, 3)
  await moveOn(service, merchant, 3)
  for (const id of ids) expect((await show(merchant, 'payouts', id)).status).toBe('completed')
  const references = (await sends(merchant)).map(({ reference }) => reference)
  expect([new Set(references).size, await movements(merchant)]).toEqual([2, 2])
  expect(await balanceOf(merchant, customerId)).toEqual(['800', '0'])
})

test('while the provider is down creates that need it are a 503 and store nothing, and withdrawals wait', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  await fault('down', 60)
  for (const kind of ['payins', 'deposits', 'converts'] as const) {
    await expect(newCngn(merchant, kind, customerId)).rejects.toThrow('503')
    expect((await merchant.call(`GET /v1/cngn/${kind}`)).body.data.total).toBe(kind === 'payins' ? 1 : 0)
  }
  const { id } = await newCngn(merchant, 'withdrawals', customerId)
  await fault('down', 0)
  await moveOn(service, merchant, 3)
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'withdrawals', id)).status).toBe('completed')
})

test('a poll that fails leaves its reason, and the next one applies everything once', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  await sendWaiting(service, merchant)
  await fault('down', 60)
  await expect(readList(service, merchant)).rejects.toThrow('not available')
  const { rows } = await service.runtime.pool.query('select error, failing_since from cngn_feeds where account = $1', [
    merchant.organisationId,
  ])
  expect(rows[0]).toEqual({ error: 'cngn_provider_unavailable', failing_since: expect.anything() })
  await fault('down', 0)
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'payouts', id)).status).toBe('completed')
})

test('a payout that the bank takes days for is followed by its reference, and does not make the list longer', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  await sendWaiting(service, merchant)
  const { pool } = service.runtime
  await pool.query("update cngn_sends set sent_at = sent_at - interval '3 days' where id = $1", [id])
  await pool.query("update sandbox_cngn_transactions set at = at - interval '3 days' where reference = $1", [id])
  await readList(service, merchant)
  expect((await show(merchant, 'payouts', id)).status).toBe('processing')
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'payouts', id)).status).toBe('completed')
})

test('while the list is longer than can be read, what is read counts, nothing expires and nothing is sent again', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  const unpaid = await newCngn(merchant, 'payins', customerId)
  await fault('down', 60)
  await sendWaiting(service, merchant)
  await fault('down', 0)
  await advance(merchant, 1801)
  await service.runtime.pool.query("update cngn_sends set sent_at = sent_at - interval '6 seconds' where id = $1", [id])
  const sandbox = service.runtime.providers.sandbox(cngnProvider)
  const long: CngnProvider = {
    ...sandbox,
    transactions: async (...given) => ({ ...(await sandbox.transactions(...given)), complete: false }),
  }
  const runtime = { ...service.runtime, providers: providers([bind(cngnProvider, 'test', long)]) }
  await readList(service, merchant, runtime)
  const { rows } = await service.runtime.pool.query('select error from cngn_feeds where account = $1', [
    merchant.organisationId,
  ])
  expect([rows, (await sends(merchant))[0].sent_at]).toEqual([[{ error: 'list_incomplete' }], expect.anything()])
  expect((await show(merchant, 'payins', unpaid.id)).status).toBe('pending')
  await readList(service, merchant)
  expect((await show(merchant, 'payins', unpaid.id)).status).toBe('failed')
  await moveOn(service, merchant, 3)
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'payouts', id)).status).toBe('completed')
})
