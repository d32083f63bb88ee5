import { newId, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  call,
  endingsContract,
  expectConsistent,
  journal,
  type Merchant,
  newCngn,
  newMerchant,
  type Stage,
  signedIn,
  useService,
} from '#testing'
import { balanceOf, enabled, eventsOf, moveOn, readList, sendWaiting, show } from '../../test/money.ts'
import { goesOut, kinds } from '../kinds/kinds.ts'
import { applyIncoming } from '../movements/receipts/incoming.ts'
import { applyOutgoing } from '../movements/sends/outgoing.ts'
import type { ProviderTransaction } from '../provider/provider.ts'
import { complete, fail, lockedTransfer, process } from '../resources/transfers.ts'
import { machines } from '../states.ts'
import { operators } from './operators.ts'

const service = useService({
  settings: { OPERATOR_LIMITS: 'cNGN:100000,USDC:100000', OPERATOR_EMAILS: 'operator@example.com,second@example.com' },
})
let operator: string
let second: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  second = (await signedIn(service.runtime, { role: 'operator', email: 'second@example.com' })).accessToken
})

const ops = (line: string, body: object, token = operator) =>
  call(service, line.replace(' ', ' /v1/admin/ops/cngn/'), {
    ...{ token, key: null },
    body: { evidence: 'A statement of the provider', reason: 'Asked for', ...body },
  })
const settle = (id: string, body: object) => ops(`POST transfers/${id}/settle`, body)

const bodies = {
  convert_in: {},
  convert_out: {
    ...{ amount: '1600', fromCurrency: 'cNGN', toCurrency: 'USDC', networkKey: 'base' },
    destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  },
  withdrawal: { amount: '100' },
  payout: { amount: '100' },
  payin: { amount: '500' },
  deposit: {},
} as const
type Case = keyof typeof bodies
const kindOf = (name: Case) => (name.startsWith('convert') ? 'convert' : name) as (typeof kinds)[number]

/** The provider's report of the object that contradicts its end. */
const report = (
  row: Record<string, unknown>,
  status: ProviderTransaction['status'],
  reference: string,
): ProviderTransaction => ({
  ...{
    reference,
    status,
    asset: (row.fromCurrency as string) ?? 'cNGN',
    amount: BigInt(row.amount as bigint),
    fee: 0n,
  },
  channel:
    row.kind === 'payout'
      ? 'payout'
      : goesOut(row.kind as 'payout', row.fromCurrency as string)
        ? 'withdrawal'
        : 'bank_in',
  ...{ convertedAmount: null, targets: [], txHash: null, failureReason: null, outcomeUnknown: false, at: new Date() },
})

/** An object of a kind in a state, with a contradiction where it has ended. */
async function objectIn(
  name: Case,
  status: string,
): Promise<{ merchant: Merchant; customerId: string; id: string; reference: string }> {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '5000')
  const kind = kindOf(name)
  const { id } = await newCngn(merchant, `${kind}s`, customerId, bodies[name])
  const reference = `REF-${newId()}`
  const { organisationId, environment } = merchant
  const context = queryContext(service.runtime, system(organisationId, environment))
  if (status === 'pending') return { merchant, customerId, id, reference }
  const { pool } = service.runtime
  const [row] = (
    await pool.query(
      'select amount, receive_amount, account, from_currency as "fromCurrency", kind, customer_id from cngn_transfers where id = $1',
      [id],
    )
  ).rows
  const amount = BigInt(row.amount ?? row.receive_amount ?? 300_000_000n)
  const out = goesOut(kind, row.fromCurrency)
  if (out)
    await pool.query(
      "update cngn_sends set status = 'accepted', sent_at = now(), attempts = 1, reference = $2 where id = $1",
      [id, reference],
    )
  else
    await pool.query(
      `insert into cngn_receipts (id, environment, account, reference, organisation_id, customer_id, transfer_id, status, asset, amount, fee, targets, received_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, 'open', $8, $9, 0, '{}', now(), now())`,
      [
        newId(),
        environment,
        row.account,
        reference,
        organisationId,
        customerId,
        id,
        row.fromCurrency ?? 'cNGN',
        amount.toString(),
      ],
    )
  await unitOfWork(context, async (unit) => {
    const next = await process(unit, await lockedTransfer(unit, kind, id), { amount })
    if (status === 'completed') await complete(unit, next)
    if (status === 'failed')
      await fail(unit, next, `${kind === 'convert' ? 'conversion' : kind}_failed` as 'payout_failed')
  })
  if (status === 'completed' || status === 'failed') {
    if (out) await pool.query("update cngn_sends set status = 'ended' where id = $1", [id])
    else
      await pool.query('update cngn_receipts set status = $2 where transfer_id = $1', [
        id,
        status === 'completed' ? 'credited' : 'failed',
      ])
    // Money in that failed and is then reported as completed is credited by that report.
    if (!out && status === 'failed') return { merchant, customerId, id, reference }
    const tx = report({ ...row, amount }, status === 'completed' ? 'failed' : 'completed', reference)
    await (out ? applyOutgoing : applyIncoming)(service.runtime, environment, row.account, tx)
  }
  return { merchant, customerId, id, reference }
}

/** Money in that failed is completed by its reference; everything else that has ended is contradicted. */
const stage =
  (name: Case, status: string): Stage =>
  async (outcome) => {
    const { merchant, id, reference } = await objectIn(name, status)
    const amount = name === 'deposit' && outcome === 'completed' ? { amount: '300' } : {}
    const arrives = !['payout', 'withdrawal', 'convert_out'].includes(name)
    return {
      ...{ id, organisationId: merchant.organisationId },
      input: {
        transferId: id,
        evidence: 'A statement',
        reason: 'Asked for',
        ...(arrives ? { reference, ...amount } : {}),
      },
    }
  }
const stagesOf = (name: (kind: (typeof kinds)[number]) => Case) =>
  Object.fromEntries(
    kinds.map((kind) => [
      machines[kind].name,
      Object.fromEntries(Object.keys(machines[kind].states).map((status) => [status, stage(name(kind), status)])),
    ]),
  )
// A convert goes both ways.
describe('money in and out', () =>
  endingsContract(
    service,
    operators.endings ?? [],
    stagesOf((kind) => (kind === 'convert' ? 'convert_in' : kind)),
  ))
describe('a convert out', () =>
  endingsContract(
    service,
    (operators.endings ?? []).filter(({ machine }) => machine.name === 'cngn_convert'),
    stagesOf(() => 'convert_out'),
  ))

test('what an operator settled happens once: the queued order is not sent, and the money that is then listed is not counted again', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  expect((await settle(id, { outcome: 'completed', amount: '99', reference: 'BY-HAND' })).status).toBe(200)
  await moveOn(service, merchant)
  const sent = await service.runtime.pool.query(
    "select 1 from sandbox_cngn_transactions where account = $1 and channel = 'payout'",
    [merchant.organisationId],
  )
  expect(sent.rowCount).toBe(0)
  expect(await show(merchant, 'payouts', id)).toMatchObject({ status: 'completed', fee: '1' })
  expect(await journal(service, merchant)).toEqual({
    'available cNGN': '900000000',
    'fees cNGN': '1000000',
    'external cNGN': '-901000000',
  })
  expect(await eventsOf(service, id)).toEqual(['>pending', 'pending>processing', 'processing>completed'])

  const payin = await newCngn(merchant, 'payins', customerId)
  await merchant.call(`POST /v1/sandbox/cngn/payins/${payin.id}/payments`, { body: {} })
  const { rows } = await service.runtime.pool.query(
    'select reference from sandbox_cngn_transactions where account = $1 and $2 = any (targets)',
    [merchant.organisationId, payin.reference],
  )
  expect((await settle(payin.id, { outcome: 'completed' })).body.errors).toEqual({
    reference: 'Required: the provider’s reference of the money, so that it counts once',
  })
  expect((await settle(payin.id, { outcome: 'completed', reference: rows[0].reference })).status).toBe(200)
  await moveOn(service, merchant, 3)
  await readList(service, merchant)
  expect(await balanceOf(merchant, customerId)).toEqual(['5900', '0'])
  const other = await newCngn(merchant, 'payins', customerId)
  const used = await settle(other.id, { outcome: 'completed', reference: rows[0].reference })
  expect([used.status, used.body.message]).toEqual([409, 'The provider’s reference belongs to another object'])
  await expectConsistent(service, 'others')
})

test('an order that is settled while it is being sent is not sent again, and a report of it that contradicts is told', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '1000')
  const { id } = await newCngn(merchant, 'payouts', customerId)
  await sendWaiting(service, merchant)
  expect((await settle(id, { outcome: 'failed' })).status).toBe(200)
  expect(await balanceOf(merchant, customerId)).toEqual(['1000', '0'])
  await moveOn(service, merchant, 3)
  const { rows } = await service.runtime.pool.query('select status, attention from cngn_transfers where id = $1', [id])
  expect(rows).toEqual([{ status: 'failed', attention: 'contradicting_report' }])
  expect((await settle(id, { outcome: 'completed' })).status).toBe(200)
  expect(await balanceOf(merchant, customerId)).toEqual(['900', '0'])
  await readList(service, merchant)
  expect((await service.runtime.pool.query('select attention from cngn_transfers where id = $1', [id])).rows).toEqual([
    { attention: null },
  ])
  await expectConsistent(service, 'others')
})

/** A payin whose money is on its way, and the reference of that money. */
async function onItsWay(amount: string) {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant)
  const payin = await newCngn(merchant, 'payins', customerId)
  await merchant.call(`POST /v1/sandbox/cngn/payins/${payin.id}/payments`, { body: { amount } })
  await readList(service, merchant)
  expect((await show(merchant, 'payins', payin.id)).status).toBe('processing')
  const { rows } = await service.runtime.pool.query('select reference from cngn_receipts where transfer_id = $1', [
    payin.id,
  ])
  return { merchant, customerId, id: payin.id as string, reference: rows[0].reference as string }
}

test('money on its way to a payin that an operator settles by other money is held for operators when it arrives', async () => {
  const { merchant, customerId, id } = await onItsWay('7000')
  expect((await settle(id, { outcome: 'completed', reference: `REF-${newId()}`, amount: '250' })).status).toBe(200)
  await moveOn(service, merchant, 3)
  await readList(service, merchant)
  expect(await balanceOf(merchant, customerId)).toEqual(['250', '0'])
  expect(await journal(service, merchant)).toMatchObject({ 'suspense cNGN': '7000000000' })
  await expectConsistent(service, 'others')
})

test('an amount that contradicts what an operator settled is told to operators, once', async () => {
  const { merchant, customerId, id, reference } = await onItsWay('7000')
  expect((await settle(id, { outcome: 'completed', reference, amount: '250' })).status).toBe(200)
  await moveOn(service, merchant, 3)
  for (let read = 0; read < 2; read++) await readList(service, merchant)
  const { rows } = await service.runtime.pool.query(
    'select reason, times from provider_reports where resource_id = $1 and reason is not null',
    [id],
  )
  expect(rows).toEqual([{ reason: 'Reported as another amount after it was credited', times: 1 }])
  expect(await balanceOf(merchant, customerId)).toEqual(['250', '0'])
  await expectConsistent(service, 'others')
})

test('money that must be taken back and was spent is refused, and the object can be left as it is', async () => {
  const { merchant, customerId, id } = await objectIn('payin', 'completed')
  await newCngn(merchant, 'payouts', customerId, { amount: '5400' })
  const refused = await settle(id, { outcome: 'failed' })
  expect([refused.status, refused.body.message]).toEqual([422, 'Insufficient cNGN balance'])
  expect((await ops(`POST transfers/${id}/resolve`, { evidence: undefined })).status).toBe(200)
  const { body } = await call(service, 'POST /v1/admin/ops/attention', { token: operator, key: null, body: {} })
  expect(body.data.objects.filter((each: { id: string }) => each.id === id)).toEqual([])
  await expectConsistent(service, 'others')
})

test('more than one operator may settle alone needs a second one', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '200000')
  const { id } = await newCngn(merchant, 'payouts', customerId, { amount: '100001' })
  const alone = await settle(id, { outcome: 'failed' })
  expect([alone.status, alone.body.message]).toEqual([403, expect.stringMatching(/^Another operator must approve/)])
  expect(second).not.toBe(operator)
  expect((await show(merchant, 'payouts', id)).status).toBe('pending')
})
