import { bind } from '@payments/kernel'
import { beforeEach, expect, test } from 'vitest'
import {
  call,
  cngnBodies,
  expectConsistent,
  journal,
  type Merchant,
  newCngn,
  newMerchant,
  signedIn,
  useService,
} from '#testing'
import { balanceOf, enabled, eventsOf, moveOn, readList, sendWaiting, show } from '../test/money.ts'
import { type ConvertOutProvider, type ConvertReport, convertOutProvider } from './provider/provider.ts'

// A converter whose answers the test decides, in place of the sandbox's.
const pending: ConvertReport = {
  status: 'pending',
  convertedAmount: null,
  txHash: null,
  refundedAmount: null,
  refundTxHash: null,
}
let report: ConvertReport = pending
let quotes = 0
/** Units of cNGN for one of the other stablecoin. */
let price = 1600n
const converter: ConvertOutProvider = {
  name: 'sandbox',
  returnAddresses: { base: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' },
  quote: async ({ amount }) => ({
    networkKey: 'base',
    address: `0x${String(++quotes).padStart(40, 'a')}`,
    ...{ rate: '1600', fee: 0n, convertedAmount: price === 0n ? 0n : amount / price },
  }),
  report: async () => report,
}
const service = useService({ live: [bind(convertOutProvider, 'test', converter)] })
beforeEach(() => {
  report = pending
  price = 1600n
})

const out = {
  fromCurrency: 'cNGN',
  toCurrency: 'USDC',
  destinationAddress: cngnBodies.withdrawals.address,
  amount: '1600',
}
async function sent(): Promise<{ merchant: Merchant; customerId: string; id: string }> {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '2000')
  const { id } = await newCngn(merchant, 'converts', customerId, out)
  await moveOn(service, merchant)
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'converts', id)).status).toBe('processing')
  return { merchant, customerId, id }
}

test('nothing is sent to the treasury itself, nor to the deposit address of a convert that waits', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '4000')
  await newCngn(merchant, 'converts', customerId, out)
  const { rows } = await service.runtime.pool.query<{ at: string }>(
    'select receive_at as at from cngn_transfers where organisation_id = $1 and receive_at is not null',
    [merchant.organisationId],
  )
  for (const [address, what] of [
    ['0x8617E340B3D01FA5F11F306F4090FD50E238070D', 'the cNGN treasury of this service'],
    [rows[0]?.at, 'a deposit address of this service'],
  ])
    for (const [path, body] of [
      ['converts', { ...out, networkKey: 'base', destinationAddress: address }],
      ['withdrawals', { ...cngnBodies.withdrawals, amount: '100', address }],
    ] as const) {
      const answer = await merchant.call(`POST /v1/cngn/${path}`, { body: { customerId, ...body } })
      const field = path === 'converts' ? 'destinationAddress' : 'address'
      expect([answer.status, answer.body.errors], answer.text).toEqual([
        422,
        { [field]: `Must be another wallet: this is ${what}` },
      ])
    }
})

test('what the converter delivered is what the convert and the journal show', async () => {
  const { merchant, customerId, id } = await sent()
  report = { ...pending, status: 'completed', convertedAmount: 990_000n, txHash: '0x1' }
  await moveOn(service, merchant)
  expect(await show(merchant, 'converts', id)).toMatchObject({
    status: 'completed',
    convertedAmount: '0.99',
    txHash: '0x1',
  })
  expect(await balanceOf(merchant, customerId)).toEqual(['400', '0'])
  expect(await journal(service, merchant)).toMatchObject({ 'exchange USDC': '-990000', 'external USDC': '990000' })
  await expectConsistent(service)
})

test('what came back is credited once, whichever of two spellings of its transaction the list has', async () => {
  const hash = 'ab'.repeat(32)
  for (const [place, [told, listed]] of [
    [`0x${hash}`, hash.toUpperCase()],
    [hash.toUpperCase().replaceAll('B', 'C'), `0x${hash.replaceAll('b', 'c')}`],
  ].entries()) {
    const { merchant, customerId, id } = await sent()
    const arrives = () =>
      service.runtime.pool.query(
        `insert into sandbox_cngn_transactions (reference, account, channel, asset, amount, fee, targets, tx_hash, times_out, at, settles_from)
         values ($1, $2, 'crypto_in', 'cNGN', 1590000000, 0, '{treasury}', $3, false, now(), now() - interval '5 seconds')`,
        [`spelled ${place}`, merchant.organisationId, listed],
      )
    // Before the converter reports it, and after.
    if (place === 0) {
      await arrives()
      await readList(service, merchant)
    }
    report = {
      ...pending,
      status: 'refunded',
      refundTxHash: told ?? '',
      ...(place === 1 && { refundedAmount: 1_590_000_000n }),
    }
    await service.runtime.pool.query(
      'update cngn_sends set next_delivery_at = now() - make_interval(secs => 1) where id = $1',
      [id],
    )
    await moveOn(service, merchant)
    if (place === 1) await arrives()
    await readList(service, merchant)
    expect((await show(merchant, 'converts', id)).status).toBe('failed')
    expect(await balanceOf(merchant, customerId)).toEqual(['1990', '0'])
    const { rows } = await service.runtime.pool.query('select status from cngn_receipts where reference = $1', [
      `spelled ${place}`,
    ])
    expect(rows).toEqual([{ status: 'credited' }])
    report = pending
  }
  await expectConsistent(service)
})

test('what came back is free again, less what was kept; before it has arrived nothing is', async () => {
  const { merchant, customerId, id } = await sent()
  report = { ...pending, status: 'refunded', refundTxHash: '0xback' }
  await moveOn(service, merchant)
  expect([(await show(merchant, 'converts', id)).status, await balanceOf(merchant, customerId)]).toEqual([
    'processing',
    ['400', '0'],
  ])
  // It arrives at the treasury: a deposit that belongs to no object.
  await service.runtime.pool.query(
    `insert into sandbox_cngn_transactions (reference, account, channel, asset, amount, fee, targets, tx_hash, times_out, at, settles_from)
     values ('back', $1, 'crypto_in', 'cNGN', 1590000000, 0, '{treasury}', '0xback', false, now(), now() - interval '5 seconds')`,
    [merchant.organisationId],
  )
  await moveOn(service, merchant)
  await service.runtime.pool.query(
    'update cngn_sends set next_delivery_at = now() - make_interval(secs => 1) where id = $1 and next_delivery_at is not null',
    [id],
  )
  await moveOn(service, merchant)
  expect(await show(merchant, 'converts', id)).toMatchObject({
    ...{ status: 'failed', failureReason: 'conversion_refunded', fee: '10', refundTxHash: '0xback' },
  })
  expect(await balanceOf(merchant, customerId)).toEqual(['1990', '0'])
  expect(await eventsOf(service, id)).toEqual(['>pending', 'pending>processing', 'processing>failed'])
  expect(await journal(service, merchant)).toEqual({
    'available cNGN': '1990000000',
    'fees cNGN': '10000000',
    'external cNGN': '-2000000000',
  })
  const { rows } = await service.runtime.pool.query("select status from cngn_receipts where reference = 'back'")
  expect(rows).toEqual([{ status: 'credited' }])
  await readList(service, merchant)
  expect(await balanceOf(merchant, customerId)).toEqual(['1990', '0'])
  await expectConsistent(service)
})

test('money that is neither delivered nor sent back stays reserved, and is shown to operators', async () => {
  const { merchant, customerId, id } = await sent()
  report = { ...pending, status: 'failed' }
  await moveOn(service, merchant)
  expect([(await show(merchant, 'converts', id)).status, await balanceOf(merchant, customerId)]).toEqual([
    'processing',
    ['400', '0'],
  ])
  const { rows } = await service.runtime.pool.query('select attention from cngn_transfers where id = $1', [id])
  expect(rows).toEqual([{ attention: 'money_with_provider' }])
})

test('while the outcome of its withdrawal is unknown, nothing is sent again and no new address is requested', async () => {
  const merchant = await newMerchant(service)
  const customerId = await enabled(service, merchant, '2000')
  const { id } = await newCngn(merchant, 'converts', customerId, out)
  const before = quotes
  await service.runtime.pool.query(
    "insert into sandbox_faults (provider, mode, ends_at) values ('cngn', 'forgets', now() + interval '1 hour')",
  )
  await sendWaiting(service, merchant)
  for (let times = 0; times < 3; times++) await sendWaiting(service, merchant)
  expect(await show(merchant, 'converts', id)).toMatchObject({ status: 'processing', providerOutcome: 'unknown' })
  await service.runtime.pool.query("delete from sandbox_faults where provider = 'cngn'")
  await moveOn(service, merchant)
  await moveOn(service, merchant, 3)
  const { rows } = await service.runtime.pool.query('select attempts from cngn_sends where id = $1', [id])
  const { rowCount } = await service.runtime.pool.query(
    "select 1 from sandbox_cngn_transactions where account = $1 and channel = 'withdrawal'",
    [merchant.organisationId],
  )
  expect([rows[0].attempts, rowCount, quotes]).toEqual([1, 1, before])
})

test.each([
  ['nothing', 0n],
  ['a unit for a billion', 1_600_000_000n],
  ['five times as much as before', 320n],
])(
  'a convert that would bring %s is refused with 503, reserves nothing, and operators are told',
  async (_what, wrong) => {
    const merchant = await newMerchant(service)
    const customerId = await enabled(service, merchant, '5000')
    await newCngn(merchant, 'converts', customerId, out)
    price = wrong
    const { status, body } = await merchant.call('POST /v1/cngn/converts', {
      body: { ...cngnBodies.converts, ...out, customerId },
    })
    expect([status, body.message]).toEqual([503, 'The cNGN provider failed, please retry'])
    expect((await balanceOf(merchant, customerId))[0]).toBe('3400')
    const listed = async () =>
      (
        await service.runtime.pool.query(
          "select refused_reason from provider_prices where pair = 'cNGN>USDC' and refused_at is not null",
        )
      ).rows
    expect(await listed()).toHaveLength(1)
    // A later price that can be believed ends it.
    price = 1650n
    await newCngn(merchant, 'converts', customerId, out)
    expect(await listed()).toEqual([])
  },
)

test('a convert that a second person approves goes out on terms of that moment, to an address of that moment; at a wrong price it waits on', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const customerId = await enabled(service, merchant, '2000')
  await merchant.call('PATCH /v1/payout-controls', { body: { approval: { from: { cNGN: '1000' } } } })
  const { id } = await newCngn(merchant, 'converts', customerId, out)
  const receiveAt = async () =>
    (await service.runtime.pool.query('select receive_at from cngn_transfers where id = $1', [id])).rows[0].receive_at
  const first = await receiveAt()
  const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'finance' })
  const approve = () => call(service, `POST /v1/payout-approvals/${id}/approve`, { token, key: null, body: {} })
  price = 1n
  expect((await approve()).status).toBe(503)
  expect(await show(merchant, 'converts', id)).toMatchObject({ convertedAmount: '1', approval: { status: 'waiting' } })
  price = 1500n
  expect((await approve()).status).toBe(200)
  expect((await show(merchant, 'converts', id)).convertedAmount).toBe('1.066666')
  const second = await receiveAt()
  expect(second).not.toBe(first)
  await moveOn(service, merchant)
  const { rows } = await service.runtime.pool.query(
    "select targets from sandbox_cngn_transactions where account = $1 and channel = 'withdrawal'",
    [organisationId],
  )
  expect(rows).toEqual([{ targets: [second] }])
  report = { ...pending, status: 'completed', convertedAmount: 1_066_666n, txHash: `0x${'ab'.repeat(32)}` }
  for (let times = 0; times < 3; times++) await moveOn(service, merchant, 5)
  expect((await show(merchant, 'converts', id)).status).toBe('completed')
  await expectConsistent(service)
})

const arrives = (merchant: Merchant, reference: string, amount: number, hash: string) =>
  service.runtime.pool.query(
    `insert into sandbox_cngn_transactions (reference, account, channel, asset, amount, fee, targets, tx_hash, times_out, at, settles_from)
     values ($2, $1, 'crypto_in', 'cNGN', $3, 0, '{treasury}', $4, false, now(), now() - interval '5 seconds')`,
    [merchant.organisationId, reference, amount, hash],
  )
async function pollDeliveries(merchant: Merchant) {
  await service.runtime.pool.query(
    'update cngn_sends set next_delivery_at = now() - make_interval(secs => 1) where next_delivery_at is not null',
  )
  await moveOn(service, merchant)
}
const stateOf = async (id: string) =>
  (await service.runtime.pool.query('select status, attention from cngn_transfers where id = $1', [id])).rows[0]

test.each(['its converter reports', 'an operator records'])(
  'a convert whose refund %s is not contradicted by the lists that show what left for it and what came back',
  async (who) => {
    const { merchant, customerId, id } = await sent()
    const hash = `0x${(who === 'an operator records' ? 'e' : 'f').repeat(64)}`
    await arrives(merchant, `back ${who}`, 1_590_000_000, hash)
    await readList(service, merchant)
    report = {
      ...pending,
      ...(who === 'an operator records' ? { status: 'failed' } : { status: 'refunded', refundTxHash: hash }),
    }
    await pollDeliveries(merchant)
    if (who === 'an operator records') {
      const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
      const body = { outcome: 'failed', amount: '1590', txHash: hash, evidence: 'Seen on chain', reason: 'Asked for' }
      const path = `POST /v1/admin/ops/cngn/transfers/${id}/settle`
      expect((await call(service, path, { token, key: null, body })).status).toBe(200)
    }
    for (let times = 0; times < 2; times++) await readList(service, merchant)
    expect(await stateOf(id)).toEqual({ status: 'failed', attention: null })
    expect(await balanceOf(merchant, customerId)).toEqual(['1990', '0'])
    await expectConsistent(service)
  },
)

test.each([
  ['a hundredth', 10_000n],
  ['a thousand times', 1_000_000_000n],
])('a delivery of %s of what was quoted ends nothing, and operators are told', async (_what, convertedAmount) => {
  const { merchant, customerId, id } = await sent()
  report = { ...pending, status: 'completed', convertedAmount, txHash: '0x1' }
  await pollDeliveries(merchant)
  expect(await stateOf(id)).toEqual({ status: 'processing', attention: 'delivered_otherwise' })
  expect(await balanceOf(merchant, customerId)).toEqual(['400', '0'])
  report = { ...report, convertedAmount: 1_000_000n }
  await pollDeliveries(merchant)
  expect(await stateOf(id)).toEqual({ status: 'completed', attention: null })
})

test('dust that came back is not the money of a convert: nothing is given back, and operators are told', async () => {
  const { merchant, customerId, id } = await sent()
  await arrives(merchant, 'dust', 1_000_000, '0xdust')
  await readList(service, merchant)
  report = { ...pending, status: 'refunded', refundTxHash: '0xdust' }
  await pollDeliveries(merchant)
  expect(await stateOf(id)).toEqual({ status: 'processing', attention: 'refunded_otherwise' })
  expect(await balanceOf(merchant, customerId)).toEqual(['400', '0'])
})

test('of two converts that one transaction sends back, none is given the money of the other', async () => {
  const hash = `0x${'cd'.repeat(32)}`
  const merchant = await newMerchant(service)
  const customers = [await enabled(service, merchant, '2000'), await enabled(service, merchant, '2000')]
  const amounts = ['1600', '500']
  const ids: string[] = []
  for (const [index, customerId] of customers.entries())
    ids.push((await newCngn(merchant, 'converts', customerId, { ...out, amount: amounts[index] })).id)
  await moveOn(service, merchant)
  await moveOn(service, merchant, 3)
  await arrives(merchant, 'both 1', 490_000_000, hash)
  await arrives(merchant, 'both 0', 1_590_000_000, hash)
  await readList(service, merchant)
  report = { ...pending, status: 'refunded', refundTxHash: hash }
  await pollDeliveries(merchant)
  for (const id of ids) expect((await stateOf(id)).status).toBe('processing')
  const { rows } = await service.runtime.pool.query("select status from cngn_receipts where reference like 'both%'")
  expect(rows).toEqual([{ status: 'suspense' }, { status: 'suspense' }])
})
