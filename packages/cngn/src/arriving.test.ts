import { beforeAll, describe, expect, test } from 'vitest'
import {
  advance,
  bankTransfer,
  call,
  expectConsistent,
  journal,
  type Merchant,
  newCngn,
  newMerchant,
  signedIn,
  useService,
} from '#testing'
import { ambiguousTransfer, balanceOf, enabled, eventsOf, moveOn, show } from '../test/money.ts'

const service = useService()
let operator: string
beforeAll(async () => {
  operator = (await signedIn(service.runtime, { role: 'operator' })).accessToken
})

const arrive = (merchant: Merchant, kind: string, id: string, what: string, amount?: string) =>
  merchant.call(`POST /v1/sandbox/cngn/${kind}/${id}/${what}`, { body: amount === undefined ? {} : { amount } })
const completed = ['>pending', 'pending>processing', 'processing>completed']
const list = async (merchant: Merchant, kind: string) => (await merchant.call(`GET /v1/cngn/${kind}`)).body.data

describe('a bank transfer to the account of a customer', () => {
  test('is a payin: pending money while it settles, then in the balance, the journal and the list, counted once', async () => {
    const merchant = await newMerchant(service)
    const id = await enabled(service, merchant)
    await bankTransfer(merchant, id, '2500.5')
    await moveOn(service, merchant)
    expect(await balanceOf(merchant, id)).toEqual(['0', '2500.5'])
    for (let times = 0; times < 3; times++) await moveOn(service, merchant, 3)
    expect(await balanceOf(merchant, id)).toEqual(['2500.5', '0'])
    const { payins, total } = await list(merchant, 'payins')
    expect(total).toBe(1)
    const { accountNumber } = (await merchant.call(`GET /v1/cngn/customers/${id}/virtual-account`)).body.data
    expect(payins[0]).toMatchObject({
      customerId: id,
      status: 'completed',
      amount: '2500.5',
      fee: '0',
      account: { accountNumber, amount: null, expiresAt: null },
      reference: null,
    })
    expect(await eventsOf(service, payins[0].id)).toEqual(completed)
    expect(await journal(service, merchant)).toEqual({ 'available cNGN': '2500500000', 'external cNGN': '-2500500000' })
    const [transaction] = (await merchant.call(`GET /v1/transactions?customerId=${id}`)).body.data.transactions
    expect(transaction).toMatchObject({
      id: payins[0].id,
      kind: 'cngn_payin',
      customerName: 'Ada Obi',
      status: 'completed',
      destination: 'cNGN balance',
      amount: '2500.5 cNGN',
      amountUsd: null,
      receipt: {
        type: 'cngn_payin',
        source: { symbol: 'NGN', amount: '2500.5' },
        destination: { symbol: 'cNGN', amount: '2500.5' },
      },
    })
    const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
    expect(notifications.map(({ type }: { type: string }) => type)).toContain('money.received')
    await expectConsistent(service)
  })

  test('is in a balance once whenever that is read, also in the moment in which it becomes available', async () => {
    const merchant = await newMerchant(service)
    const id = await enabled(service, merchant)
    for (let transfers = 0; transfers < 20; transfers++) await bankTransfer(merchant, id, '100')
    await moveOn(service, merchant)
    let settling = true
    const sums = new Set<number>()
    const read = async () => {
      while (settling) {
        const [available, pending] = await balanceOf(merchant, id)
        sums.add(Number(available) + Number(pending))
      }
    }
    const readers = [read(), read(), read()]
    await moveOn(service, merchant, 3)
    settling = false
    await Promise.all(readers)
    expect(await balanceOf(merchant, id)).toEqual(['2000', '0'])
    expect([...sums]).toEqual([2000])
  })

  test('whose outcome is unknown stays in processing until the provider tells it', async () => {
    const merchant = await newMerchant(service)
    const id = await enabled(service, merchant)
    await bankTransfer(merchant, id, '20.13')
    await moveOn(service, merchant, 3)
    const [payin] = (await list(merchant, 'payins')).payins
    expect([payin.status, payin.providerOutcome]).toEqual(['processing', 'unknown'])
    await moveOn(service, merchant, 30)
    expect(await show(merchant, 'payins', payin.id)).toMatchObject({ status: 'completed', providerOutcome: null })
    expect(await eventsOf(service, payin.id)).toEqual(completed)
  })
})

describe('a payin', () => {
  test('is paid by its reference, with what arrived', async () => {
    const merchant = await newMerchant(service)
    const customerId = await enabled(service, merchant)
    const payin = await newCngn(merchant, 'payins', customerId, { metadata: { order: '7' } })
    expect(payin).toMatchObject({
      status: 'pending',
      amount: '5000',
      account: { amount: '5000', accountNumber: expect.stringMatching(/^\d{10}$/) },
      reference: expect.stringMatching(/^PIN-000[0-9A-Z]{12}$/),
      metadata: { order: '7' },
    })
    expect((await arrive(merchant, 'payins', payin.id, 'payments', '4000')).status).toBe(201)
    await moveOn(service, merchant)
    await moveOn(service, merchant, 3)
    expect(await show(merchant, 'payins', payin.id)).toMatchObject({
      status: 'completed',
      amount: '4000',
      account: { amount: '5000' },
    })
    expect(await balanceOf(merchant, customerId)).toEqual(['4000', '0'])
    expect(await eventsOf(service, payin.id)).toEqual(completed)
    await expectConsistent(service)
  })

  test('that is not paid expires; what arrives later, or twice, is a payin of its own that the merchant sees at once', async () => {
    const merchant = await newMerchant(service)
    const customerId = await enabled(service, merchant)
    const late = await newCngn(merchant, 'payins', customerId)
    const twice = await newCngn(merchant, 'payins', customerId)
    for (let times = 0; times < 2; times++) await arrive(merchant, 'payins', twice.id, 'payments')
    await moveOn(service, merchant)
    const list = async () => (await merchant.call('GET /v1/cngn/payins')).body.data.payins as Record<string, never>[]
    const related = async (to: string) => (await list()).filter(({ relatedPayinId }) => relatedPayinId === to)
    // Before it has settled.
    expect(await related(twice.id)).toMatchObject([{ status: 'processing', amount: '5000', reference: null }])
    await moveOn(service, merchant, 3)
    await moveOn(service, merchant, 1800)
    expect(await show(merchant, 'payins', late.id)).toMatchObject({ status: 'failed', failureReason: 'expired' })
    await arrive(merchant, 'payins', late.id, 'payments', '777')
    await moveOn(service, merchant, 3)
    await moveOn(service, merchant, 3)
    const [further] = await related(twice.id)
    const [later] = await related(late.id)
    expect([further, later]).toMatchObject([
      { status: 'completed', amount: '5000', account: { accountNumber: twice.account.accountNumber, amount: null } },
      { status: 'completed', amount: '777', account: { accountNumber: late.account.accountNumber, amount: null } },
    ])
    expect(await list()).toHaveLength(4)
    expect(await show(merchant, 'payins', twice.id)).toMatchObject({ status: 'completed', relatedPayinId: null })
    for (const one of [further, later]) expect(await eventsOf(service, one?.id ?? '')).toEqual(completed)
    const entries = (await merchant.call('GET /v1/transactions')).body.data.transactions
    expect(entries.map(({ amount, status }: Record<string, string>) => `${amount} ${status}`).sort()).toEqual([
      '5000 cNGN completed',
      '5000 cNGN completed',
      '5000 cNGN failed',
      '777 cNGN completed',
    ])
    const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
    expect(
      notifications.filter(({ title }: { title: string }) => title === 'Another transfer for a payin'),
    ).toHaveLength(2)
    expect(await balanceOf(merchant, customerId)).toEqual(['10777', '0'])
    expect(await journal(service, merchant)).toEqual({
      'available cNGN': '10777000000',
      'external cNGN': '-10777000000',
    })
    await expectConsistent(service)
  })

  test('that is named beside another gets nothing: the transfer is in suspense, its merchant is told, and an operator credits it, once', async () => {
    const merchant = await newMerchant(service)
    const customerId = await enabled(service, merchant)
    await ambiguousTransfer(service, merchant, customerId, '777')
    await moveOn(service, merchant, 3)
    expect(await balanceOf(merchant, customerId)).toEqual(['0', '0'])
    expect(await journal(service, merchant)).toMatchObject({ 'suspense cNGN': '777000000' })
    const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
    expect(notifications.filter(({ type }: { type: string }) => type === 'money.stranded')).toMatchObject([
      { title: 'A bank transfer of 777 cNGN needs to be matched' },
    ])
    const suspense = (await call(service, 'GET /v1/admin/ops/cngn/suspense', { token: operator })).body.data.receipts
    const own = suspense.filter((each: { organisationId: string }) => each.organisationId === merchant.organisationId)
    const assign = (receiptId: string, to = customerId) =>
      call(service, `POST /v1/admin/ops/cngn/suspense/${receiptId}/assign`, {
        token: operator,
        key: null,
        body: { organisationId: merchant.organisationId, customerId: to, reason: 'Asked for' },
      })
    const [receipt] = own
    const answers = await Promise.all([assign(receipt.id), assign(receipt.id), assign(receipt.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await balanceOf(merchant, customerId)).toEqual(['777', '0'])
    expect(await journal(service, merchant)).toEqual({ 'available cNGN': '777000000', 'external cNGN': '-777000000' })
    await expectConsistent(service)
  })
})

describe('a deposit', () => {
  test('moves its object on; each later one, also after the end of the time, is an object of its own', async () => {
    const merchant = await newMerchant(service)
    const customerId = await enabled(service, merchant)
    const deposit = await newCngn(merchant, 'deposits', customerId)
    const expired = await newCngn(merchant, 'deposits', customerId, { networkKey: 'solana' })
    expect(deposit).toMatchObject({ status: 'pending', amount: null, fee: '0', networkKey: 'base', txHash: null })
    await arrive(merchant, 'deposits', deposit.id, 'deposits', '10.5')
    await arrive(merchant, 'deposits', deposit.id, 'deposits', '7')
    await moveOn(service, merchant, 3)
    await moveOn(service, merchant, 1801)
    expect(await show(merchant, 'deposits', expired.id)).toMatchObject({ status: 'failed', failureReason: 'expired' })
    await arrive(merchant, 'deposits', expired.id, 'deposits')
    await moveOn(service, merchant, 3)
    await moveOn(service, merchant, 3)
    const { deposits, total } = await list(merchant, 'deposits')
    expect(total).toBe(4)
    const shown = deposits.map((each: Record<string, string>) => [each.status, each.amount, each.address])
    expect(shown.sort()).toEqual(
      [
        ['completed', '10.5', deposit.address],
        ['completed', '1000', expired.address],
        ['completed', '7', deposit.address],
        ['failed', null, expired.address],
      ].sort(),
    )
    for (const each of deposits)
      if (each.status === 'completed') expect(await eventsOf(service, each.id)).toEqual(completed)
    expect(await balanceOf(merchant, customerId)).toEqual(['1017.5', '0'])
    await expectConsistent(service)
  })
})

describe('a convert into cNGN', () => {
  test('credits what its deposit becomes, at the rate that was shown', async () => {
    const merchant = await newMerchant(service)
    const customerId = await enabled(service, merchant)
    const convert = await newCngn(merchant, 'converts', customerId)
    expect(convert).toMatchObject({
      status: 'pending',
      amount: '100',
      fee: '0.5',
      rate: '1580.25',
      convertedAmount: '157234.875',
      deposit: { networkKey: 'base', amount: '100' },
      destinationAddress: null,
    })
    await arrive(merchant, 'converts', convert.id, 'deposits', '50')
    await moveOn(service, merchant)
    expect(await balanceOf(merchant, customerId)).toEqual(['0', '78617.4375'])
    await moveOn(service, merchant, 3)
    expect(await show(merchant, 'converts', convert.id)).toMatchObject({
      status: 'completed',
      amount: '50',
      fee: '0.25',
      convertedAmount: '78617.4375',
      depositTxHash: expect.stringMatching(/^0x/),
    })
    expect(await balanceOf(merchant, customerId)).toEqual(['78617.4375', '0'])
    expect(await journal(service, merchant)).toEqual({
      'external USDC': '-50000000',
      'fees USDC': '250000',
      'exchange USDC': '49750000',
      'exchange cNGN': '-78617437500',
      'available cNGN': '78617437500',
    })
    await expectConsistent(service)
  })

  test('that nobody funds expires', async () => {
    const merchant = await newMerchant(service)
    const convert = await newCngn(merchant, 'converts', await enabled(service, merchant))
    await advance(merchant, 1801)
    await moveOn(service, merchant)
    expect(await show(merchant, 'converts', convert.id)).toMatchObject({ status: 'failed', failureReason: 'expired' })
  })
})

test('the lists filter by customer, lookups find objects of their kind only, and exports have every row', async () => {
  const merchant = await newMerchant(service)
  const [one, other] = [await enabled(service, merchant), await enabled(service, merchant)]
  const mine = await newCngn(merchant, 'payins', one)
  await newCngn(merchant, 'payins', other)
  const { payins, total } = (await merchant.call(`GET /v1/cngn/payins?customerId=${one}`)).body.data
  expect([total, payins]).toEqual([1, [mine]])
  expect((await list(merchant, 'payins')).total).toBe(2)
  expect(await show(merchant, 'payins', mine.id)).toEqual(mine)
  const wrongKind = await merchant.call(`GET /v1/cngn/deposits/${mine.id}`)
  expect([wrongKind.status, wrongKind.body.message]).toEqual([404, 'Deposit not found'])
  const foreign = await newMerchant(service)
  expect((await foreign.call(`GET /v1/cngn/payins/${mine.id}`)).status).toBe(404)
  const { text } = await merchant.call('GET /v1/cngn/payins/export')
  expect(text.trim().split('\r\n')).toHaveLength(3)
  expect(text).toContain(`${mine.id},pending,${one},5000,0,,${mine.reference},Sandbox Bank,`)
})
