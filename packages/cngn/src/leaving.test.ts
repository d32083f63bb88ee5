import { describe, expect, test } from 'vitest'
import {
  cngnBodies,
  expectConsistent,
  journal,
  type Merchant,
  newCngn,
  newCustomer,
  newMerchant,
  useService,
} from '#testing'
import { balanceOf, enabled, eventsOf, moveOn, sendWaiting, show } from '../test/money.ts'

const service = useService()
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const out = { fromCurrency: 'cNGN', toCurrency: 'USDC', destinationAddress: WALLET }
const completed = ['>pending', 'pending>processing', 'processing>completed']
const withBalance = async (balance = '1000') => {
  const merchant = await newMerchant(service)
  return { merchant, customerId: await enabled(service, merchant, balance) }
}
const account = (accountNumber: string) => ({ bankAccount: { accountNumber, bankCode: '058' } })

describe('a payout', () => {
  test('reserves its money at once, is sent, and leaves the balance when the bank has it', async () => {
    const { merchant, customerId } = await withBalance()
    const payout = await newCngn(merchant, 'payouts', customerId, { reference: 'p1', metadata: { run: '1' } })
    expect(payout).toMatchObject({
      customerId,
      status: 'pending',
      amount: '100',
      fee: '0',
      bankAccount: {
        accountNumber: '0123456789',
        bankCode: '058',
        bankName: 'Guaranty Trust Bank',
        accountName: 'OBI ADA',
      },
      accountCheck: { status: 'verified', accountName: 'OBI ADA', provider: 'sandbox' },
      reference: 'p1',
      failureReason: null,
      providerOutcome: null,
      metadata: { run: '1' },
    })
    expect(await balanceOf(merchant, customerId)).toEqual(['900', '0'])
    expect(await journal(service, merchant)).toMatchObject({
      'available cNGN': '900000000',
      'reserved cNGN': '100000000',
    })
    await moveOn(service, merchant)
    expect((await show(merchant, 'payouts', payout.id)).status).toBe('processing')
    await moveOn(service, merchant, 3)
    await moveOn(service, merchant, 3)
    expect((await show(merchant, 'payouts', payout.id)).status).toBe('completed')
    expect(await eventsOf(service, payout.id)).toEqual(completed)
    expect(await journal(service, merchant)).toEqual({ 'available cNGN': '900000000', 'external cNGN': '-900000000' })
    const [transaction] = (await merchant.call('GET /v1/transactions')).body.data.transactions
    expect(transaction).toMatchObject({
      kind: 'cngn_payout',
      status: 'completed',
      destination: 'Guaranty Trust Bank ••••6789',
      amount: '100 cNGN',
    })
    await expectConsistent(service)
  })

  test.each([
    ['0000000000', 'invalid_account_number', 3],
    ['0000000001', 'compliance_rejected', 3],
    ['0000000002', 'returned_by_bank', 5],
  ])('to account %s fails with %s, and the money is back', async (number, failureReason, seconds) => {
    const { merchant, customerId } = await withBalance()
    const payout = await newCngn(merchant, 'payouts', customerId, account(number))
    await moveOn(service, merchant)
    await moveOn(service, merchant, seconds)
    expect(await show(merchant, 'payouts', payout.id)).toMatchObject({ status: 'failed', failureReason, fee: '0' })
    expect(await balanceOf(merchant, customerId)).toEqual(['1000', '0'])
    expect(await eventsOf(service, payout.id)).toEqual(['>pending', 'pending>processing', 'processing>failed'])
    const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
    expect(notifications[0]).toMatchObject({ type: 'payout.failed', resource: { type: 'cngn_payout', id: payout.id } })
    await expectConsistent(service)
  })

  test('that ends in .13 is unknown for half a minute, then done', async () => {
    const { merchant, customerId } = await withBalance()
    const payout = await newCngn(merchant, 'payouts', customerId, { amount: '20.13' })
    await moveOn(service, merchant, 3)
    expect(await show(merchant, 'payouts', payout.id)).toMatchObject({
      status: 'processing',
      providerOutcome: 'unknown',
    })
    await moveOn(service, merchant, 30)
    expect(await show(merchant, 'payouts', payout.id)).toMatchObject({ status: 'completed', providerOutcome: null })
    expect(await eventsOf(service, payout.id)).toEqual(completed)
  })

  test.each<[Record<string, unknown>, number, unknown]>([
    [{ amount: '1000.01' }, 422, { amount: 'Insufficient cNGN balance' }],
    [{ amount: '1.001' }, 422, { amount: 'cNGN has at most 2 decimals' }],
    [{ amount: '0.5' }, 422, { amount: 'Must be at least 1 cNGN' }],
    [{ amount: '1000000001' }, 422, { amount: 'Must be at most 1000000000 cNGN' }],
    [account('012345678'), 422, { 'bankAccount.accountNumber': 'Must be 10 digits (NUBAN)' }],
    [
      { bankAccount: { accountNumber: '0123456789', bankCode: '999' } },
      422,
      { 'bankAccount.bankCode': 'Unknown bank "999": see GET /fiat/currencies/NGN/banks' },
    ],
    [{ customerId: 'x' }, 422, { customerId: 'Must be a UUID' }],
    [{ customerId: '01936f2a-7c1e-7000-8000-000000000010' }, 422, { customerId: 'Customer not found' }],
  ])('with %o is a %s, and nothing is reserved', async (given, status, expected) => {
    const { merchant, customerId } = await withBalance()
    const answer = await merchant.call('POST /v1/cngn/payouts', {
      body: { customerId, ...cngnBodies.payouts, ...given },
    })
    expect([answer.status, answer.body.errors ?? answer.body.message]).toEqual([status, expected])
    expect((await merchant.call('GET /v1/cngn/payouts')).body.data).toEqual({ payouts: [], total: 0 })
    expect(await balanceOf(merchant, customerId)).toEqual(['1000', '0'])
  })

  test('keeps what the bank told beside the name that was given', async () => {
    const { merchant, customerId } = await withBalance()
    const named = (accountName: string) =>
      newCngn(merchant, 'payouts', customerId, { bankAccount: { ...account('0123456789').bankAccount, accountName } })
    expect((await named('Ada Obi')).accountCheck.status).toBe('verified')
    expect((await named('Chi Eze')).accountCheck).toMatchObject({ status: 'mismatch', accountName: 'OBI ADA' })
  })

  test('uses a reference once, also of parallel requests', async () => {
    const { merchant, customerId } = await withBalance()
    const body = { customerId, ...cngnBodies.payouts, reference: 'once' }
    const answers = await Promise.all([1, 2, 3, 4].map(() => merchant.call('POST /v1/cngn/payouts', { body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(await balanceOf(merchant, customerId)).toEqual(['900', '0'])
  })
})

test('of 50 parallel payouts of the whole balance one succeeds', async () => {
  const { merchant, customerId } = await withBalance()
  const body = { customerId, ...cngnBodies.payouts, amount: '1000' }
  const answers = await Promise.all(Array.from({ length: 50 }, () => merchant.call('POST /v1/cngn/payouts', { body })))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  for (const { status, body: answer } of answers)
    if (status !== 201) expect([status, answer.message]).toEqual([422, 'Insufficient cNGN balance'])
  expect(await balanceOf(merchant, customerId)).toEqual(['0', '0'])
  await expectConsistent(service)
})

describe('equal payouts', () => {
  test('are each sent once, and are never mixed', async () => {
    const { merchant, customerId } = await withBalance()
    const ids: string[] = []
    for (let count = 0; count < 4; count++) ids.push((await newCngn(merchant, 'payouts', customerId)).id)
    await moveOn(service, merchant)
    await moveOn(service, merchant, 3)
    for (const id of ids) expect((await show(merchant, 'payouts', id)).status).toBe('completed')
    expect(await movements(merchant)).toBe(4)
    expect(await balanceOf(merchant, customerId)).toEqual(['600', '0'])
  })
})

const movements = async ({ organisationId }: Merchant) =>
  (
    await service.runtime.pool.query(
      "select 1 from sandbox_cngn_transactions where account = $1 and channel in ('payout', 'withdrawal')",
      [organisationId],
    )
  ).rowCount

describe('a withdrawal', () => {
  test('is sent to its wallet', async () => {
    const { merchant, customerId } = await withBalance()
    const withdrawal = await newCngn(merchant, 'withdrawals', customerId, { amount: '250.000001' })
    await moveOn(service, merchant)
    await moveOn(service, merchant, 3)
    expect(await show(merchant, 'withdrawals', withdrawal.id)).toMatchObject({
      status: 'completed',
      amount: '250.000001',
      networkKey: 'base',
      address: WALLET,
      txHash: expect.stringMatching(/^0x/),
    })
    expect(await eventsOf(service, withdrawal.id)).toEqual(completed)
    expect(await balanceOf(merchant, customerId)).toEqual(['749.999999', '0'])
    await expectConsistent(service)
  })

  test.each<[Record<string, unknown>, unknown]>([
    [{ networkKey: 'tron' }, { networkKey: 'Must be one of base, ethereum, polygon, solana' }],
    [{ networkKey: 'atlantis' }, { networkKey: 'Unknown network "atlantis": see GET /cngn/networks' }],
    [{ address: '0x123' }, { address: 'Must be an EVM address: 0x and 40 hexadecimal digits' }],
    [{ amount: '0.1' }, { amount: 'Must be at least 1 cNGN' }],
  ])('with %o is a 422 that names the field', async (given, fields) => {
    const { merchant, customerId } = await withBalance()
    const answer = await merchant.call('POST /v1/cngn/withdrawals', {
      body: { customerId, ...cngnBodies.withdrawals, ...given },
    })
    expect([answer.status, answer.body.errors]).toEqual([422, fields])
  })
})

describe('a convert out of cNGN', () => {
  test('is sent to the converter, and delivered', async () => {
    const { merchant, customerId } = await withBalance('1000000')
    const convert = await newCngn(merchant, 'converts', customerId, { ...out, amount: '158025' })
    expect(convert).toMatchObject({
      status: 'pending',
      amount: '158025',
      fee: '790.125',
      convertedAmount: '99.5',
      rate: '1580.25',
      deposit: null,
      destinationAddress: WALLET,
    })
    await moveOn(service, merchant)
    expect((await show(merchant, 'converts', convert.id)).status).toBe('processing')
    await moveOn(service, merchant, 3)
    expect(await show(merchant, 'converts', convert.id)).toMatchObject({
      status: 'completed',
      depositTxHash: expect.stringMatching(/^0x/),
      txHash: expect.stringMatching(/^0x/),
    })
    expect(await eventsOf(service, convert.id)).toEqual(completed)
    expect(await journal(service, merchant)).toEqual({
      'available cNGN': '841975000000',
      'fees cNGN': '790125000',
      'exchange cNGN': '157234875000',
      'exchange USDC': '-99500000',
      'external USDC': '99500000',
      'external cNGN': '-1000000000000',
    })
    await expectConsistent(service)
  })

  test.each<[Record<string, unknown>, Record<string, string>]>([
    [{ toCurrency: 'cNGN' }, { toCurrency: 'Must be USDC or USDT' }],
    [{ fromCurrency: 'USDC', toCurrency: 'USDT' }, { toCurrency: 'Must be cNGN' }],
    [{ destinationAddress: null }, { destinationAddress: 'Required' }],
    [{ refundAddress: WALLET }, { refundAddress: 'Must be absent: cNGN goes back to the balance' }],
    [{ toCurrency: 'USDT' }, { networkKey: 'USDT is not available on Base' }],
    [{ amount: '99' }, { amount: 'Must be at least 100 cNGN' }],
    [{ toCurrency: 'EURC' }, { toCurrency: 'Must be one of USDC, USDT, cNGN' }],
  ])('with %o is a 422 that names the field', async (given, fields) => {
    const { merchant, customerId } = await withBalance()
    const body = { customerId, ...cngnBodies.converts, ...out, amount: '200', ...given }
    const answer = await merchant.call('POST /v1/cngn/converts', { body })
    expect([answer.status, answer.body.errors]).toEqual([422, fields])
  })
})

test('for a customer who is not enabled every create is a 409, and in live without a provider a 503', async () => {
  const merchant = await newMerchant(service)
  const live = await newMerchant(service, { environment: 'live' })
  const [customerId, liveId] = [await newCustomer(merchant), await newCustomer(live)]
  for (const [kind, body] of Object.entries(cngnBodies)) {
    const refused = await merchant.call(`POST /v1/cngn/${kind}`, { body: { customerId, ...body } })
    expect([kind, refused.status, refused.body.message]).toEqual([kind, 409, 'cNGN is not enabled for the customer'])
    const absent = await live.call(`POST /v1/cngn/${kind}`, { body: { customerId: liveId, ...body } })
    expect([kind, absent.status]).toEqual([kind, 503])
    expect(absent.body.message).toMatch(/^[A-Z].* in the live environment$/)
  }
})

test('a crash before a send leaves the order to be sent, and repeated sends send it once', async () => {
  const { merchant, customerId } = await withBalance()
  const { id } = await newCngn(merchant, 'payouts', customerId)
  await Promise.all([1, 2, 3, 4].map(() => sendWaiting(service, merchant)))
  expect(await movements(merchant)).toBe(1)
  await moveOn(service, merchant, 3)
  expect((await show(merchant, 'payouts', id)).status).toBe('completed')
})
