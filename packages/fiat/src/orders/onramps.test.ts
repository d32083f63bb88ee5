import { describe, expect, test } from 'vitest'
import { expectConsistent, fund, journal, newMerchant, newOnramp, newOnrampBody, useService } from '#testing'
import { eventsOf, pollAfter } from '../../test/orders.ts'

const service = useService()
const refundBankAccount = { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' }

describe('creating an onramp', () => {
  test.each<[Record<string, unknown>, string, string]>([
    [{ sourceCurrency: 'XYZ' }, 'sourceCurrency', 'Unknown currency "XYZ": see GET /fiat/currencies'],
    [{ sourceCurrency: 'TZS' }, 'sourceCurrency', 'Not available for onramps: see GET /fiat/currencies'],
    [{ destinationCurrency: 'EURC' }, 'destinationCurrency', 'Must be one of USDC, USDT'],
    [{ networkKey: 'atlantis' }, 'networkKey', 'Unknown network "atlantis": see GET /payment-routes/networks'],
    [
      { networkKey: 'tron', destinationAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
      'networkKey',
      'Must be one of ethereum, base, arbitrum, optimism, polygon, solana for USDC and NGN',
    ],
    [{ networkKey: undefined }, 'networkKey', 'Required'],
    [{ amount: '499.99' }, 'amount', 'Must be at least 500 NGN'],
    [{ amount: '2000000000.01' }, 'amount', 'Must be at most 2000000000 NGN'],
    [{ amount: '500.001' }, 'amount', 'NGN has at most 2 decimals'],
    [{ amount: '1000.5', sourceCurrency: 'UGX' }, 'amount', 'UGX has at most 0 decimals'],
    [
      { destinationAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
      'destinationAddress',
      'Must be an EVM address: 0x and 40 hexadecimal digits',
    ],
    [
      { refundBankAccount: { ...refundBankAccount, bankCode: '999' } },
      'refundBankAccount.bankCode',
      'Unknown bank "999": see GET /fiat/currencies/NGN/banks',
    ],
    [
      { refundBankAccount: { ...refundBankAccount, accountNumber: '1' } },
      'refundBankAccount.accountNumber',
      'Must be 10 digits (NUBAN)',
    ],
    [{ customerId: '01936f2a-7c1e-7000-8000-000000000010' }, 'customerId', 'Customer not found'],
  ])('%o is rejected with 422 naming %s, and nothing is created', async (given, field, message) => {
    const merchant = await newMerchant(service)
    const answer = await merchant.call('POST /v1/onramps', { body: newOnrampBody(given) })
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: message }])
    expect((await merchant.call('GET /v1/onramps')).body.data).toEqual({ onramps: [], total: 0 })
  })

  test('a reference belongs to one onramp of an organisation and environment', async () => {
    const merchant = await newMerchant(service)
    await newOnramp(merchant, { reference: 'topup-1' })
    const again = await merchant.call('POST /v1/onramps', { body: newOnrampBody({ reference: 'topup-1' }) })
    expect([again.status, again.body.message]).toEqual([409, 'Reference already used'])
  })
})

describe('an onramp', () => {
  const begin = async (given: Record<string, unknown> = {}) => {
    const merchant = await newMerchant(service)
    const order = await newOnramp(merchant, { refundBankAccount, ...given })
    return {
      merchant,
      order,
      pay: (amount?: string) => fund(merchant, 'onramp', order.id, amount),
      poll: (seconds = 0) => pollAfter(service, merchant, 'onramp', order.id, seconds),
      events: () => eventsOf(service, order.id),
      journal: () => journal(service, merchant),
    }
  }

  test('is paid, processed and delivered, with events, journal entries and receipt', async () => {
    const { merchant, order, pay, poll, events, journal } = await begin()
    expect(order).toMatchObject({
      status: 'awaiting_payment',
      rate: '1580.25',
      fee: '250',
      convertedAmount: '31.48236',
      paymentAccount: { amount: '50000' },
      refundBankAccount,
    })
    await pay()
    expect((await poll()).status).toBe('processing')
    expect(await journal()).toEqual({ 'external NGN': '-5000000', 'clearing NGN': '5000000' })
    expect(await poll(2)).toMatchObject({ status: 'delivered', txHash: expect.stringMatching(/^0x/) })
    expect(await journal()).toEqual({
      'external NGN': '-5000000',
      'fees NGN': '25000',
      'exchange NGN': '4975000',
      'exchange USDC': '-31482360',
      'destination USDC': '31482360',
    })
    expect(await events()).toEqual(['>awaiting_payment', 'awaiting_payment>processing', 'processing>delivered'])
    const [transaction] = (await merchant.call('GET /v1/transactions')).body.data.transactions
    expect(transaction).toMatchObject({
      kind: 'onramp',
      amount: '50000 NGN',
      amountUsd: '31.48236',
      receipt: { type: 'onramp', receivedAmount: '50000', destination: { symbol: 'USDC', amount: '31.48236' } },
    })
    await expectConsistent(service)
  })

  test('of another amount is delivered for what was paid', async () => {
    const { pay, poll } = await begin()
    await pay('25000')
    expect(await poll(5)).toMatchObject({
      status: 'delivered',
      amount: '50000',
      fee: '125',
      convertedAmount: '15.74118',
    })
    await expectConsistent(service)
  })

  test('expires, and goes on when the provider accepts the late payment', async () => {
    const { pay, poll, events } = await begin()
    expect((await poll(1800)).status).toBe('expired')
    await pay()
    expect((await poll(5)).status).toBe('delivered')
    expect(await events()).toEqual([
      '>awaiting_payment',
      'awaiting_payment>expired',
      'expired>processing',
      'processing>delivered',
    ])
    await expectConsistent(service)
  })

  test('that is paid too late fails, and the payment goes back to the refund account', async () => {
    const { pay, poll, events, journal } = await begin()
    expect((await poll(1800)).status).toBe('expired')
    expect((await poll(3601)).status).toBe('expired')
    await pay()
    await poll(2)
    expect(await poll(2)).toMatchObject({
      status: 'failed',
      failureReason: 'payment_too_late',
      refund: { status: 'completed', amount: '50000', accountNumber: '0123456789' },
    })
    expect(await journal()).toEqual({})
    expect(await events()).toEqual([
      '>awaiting_payment',
      'awaiting_payment>expired',
      'expired>processing',
      'processing>failed',
      'failed>failed',
    ])
    await expectConsistent(service)
  })

  test('lists and exports show it with exact totals', async () => {
    const { merchant, order } = await begin({ reference: '=1+1' })
    expect((await merchant.call('GET /v1/onramps')).body.data).toMatchObject({ total: 1, onramps: [{ id: order.id }] })
    const { text } = await merchant.call('GET /v1/onramps/export')
    expect(text).toContain(`${order.id},awaiting_payment,,'=1+1,50000,NGN,250,1580.25,31.48236,USDC`)
  })
})

test('an onramp shows what arrived, in its list, its export and its events too', async () => {
  const merchant = await newMerchant(service)
  const { id, receivedAmount } = await newOnramp(merchant, { amount: '250000' })
  expect(receivedAmount).toBeNull()
  await fund(merchant, 'onramp', id, '220000')
  expect(await pollAfter(service, merchant, 'onramp', id, 1)).toMatchObject({
    ...{ status: 'processing', amount: '250000', receivedAmount: '220000' },
  })
  const { onramps } = (await merchant.call('GET /v1/onramps')).body.data
  expect(onramps[0].receivedAmount).toBe('220000')
  const { transactions } = (await merchant.call('GET /v1/transactions')).body.data
  expect(transactions[0].amount).toBe('220000 NGN')
  const [head, row] = (await merchant.call('GET /v1/onramps/export')).text.trim().split('\n')
  expect(row?.split(',')[head?.split(',').indexOf('receivedAmount') ?? -1]).toBe('220000')
})
