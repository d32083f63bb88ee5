import { describe, expect, test } from 'vitest'
import { expectConsistent, fund, journal, newMerchant, newOfframp, newOfframpBody, useService } from '#testing'
import { eventsOf, pollAfter } from '../../test/orders.ts'

const service = useService()
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const account = (given: object) => ({ bankAccount: { accountNumber: '0123456789', bankCode: '058', ...given } })
const kenyan = (given: object) => ({
  destinationCurrency: 'KES',
  bankAccount: { accountNumber: '+254712345678', bankCode: 'SAFAKEPC', accountName: 'Ada Obi', ...given },
})

describe('creating an offramp', () => {
  test.each<[Record<string, unknown>, string, string]>([
    [{ destinationCurrency: 'XYZ' }, 'destinationCurrency', 'Unknown currency "XYZ": see GET /fiat/currencies'],
    [{ destinationCurrency: 'USD' }, 'destinationCurrency', 'Unknown currency "USD": see GET /fiat/currencies'],
    [{ sourceCurrency: 'EURC' }, 'sourceCurrency', 'Must be one of USDC, USDT'],
    [{ networkKey: 'atlantis' }, 'networkKey', 'Unknown network "atlantis": see GET /payment-routes/networks'],
    [
      { sourceCurrency: 'USDT' },
      'networkKey',
      'Must be one of ethereum, arbitrum, optimism, polygon, solana, tron for USDT and NGN',
    ],
    [{ amount: '0.5' }, 'amount', 'Must be at least 1 USDC'],
    [{ amount: '1000000.000001' }, 'amount', 'Must be at most 1000000 USDC'],
    [{ amount: '1.0000001' }, 'amount', 'USDC has at most 6 decimals'],
    [{ amount: '0' }, 'amount', 'Must be greater than zero'],
    [{ amount: 25 }, 'amount', 'Must be a string'],
    [{ amount: '1', ...kenyan({}) }, 'amount', 'Converts to 129.05 KES: must be at least 200 KES'],
    [account({ bankCode: '999' }), 'bankAccount.bankCode', 'Unknown bank "999": see GET /fiat/currencies/NGN/banks'],
    [account({ accountNumber: '012345678' }), 'bankAccount.accountNumber', 'Must be 10 digits (NUBAN)'],
    [
      account({ channel: 'till' }),
      'bankAccount.channel',
      'Must be absent: accounts of this institution have no channel',
    ],
    [account({ businessNumber: '12345' }), 'bankAccount.businessNumber', 'Must be absent without channel "paybill"'],
    [
      kenyan({ accountNumber: '0712345678' }),
      'bankAccount.accountNumber',
      'Must be a phone number in E.164 with the calling code of the country',
    ],
    [
      kenyan({ accountNumber: '+2348012345678' }),
      'bankAccount.accountNumber',
      'Must be a phone number in E.164 with the calling code of the country',
    ],
    [
      kenyan({ accountNumber: '0712345678', bankCode: 'AIRTKEPC' }),
      'bankAccount.accountNumber',
      'Must be E.164 with the calling code of the country, like +254700000000',
    ],
    [kenyan({ accountNumber: '12', bankCode: 'EQBLKENA' }), 'bankAccount.accountNumber', 'Must be 5 to 20 digits'],
    [
      kenyan({ channel: 'till', accountNumber: '+254712345678' }),
      'bankAccount.accountNumber',
      'Must be a till number of 5 to 8 digits',
    ],
    [
      kenyan({ channel: 'paybill', accountNumber: 'A-1', businessNumber: '12345' }),
      'bankAccount.accountNumber',
      'Must be 1 to 20 letters and digits',
    ],
    [
      kenyan({ channel: 'paybill', accountNumber: 'A1' }),
      'bankAccount.businessNumber',
      'Required with channel "paybill"',
    ],
    [
      kenyan({ channel: 'paybill', accountNumber: 'A1', businessNumber: '1' }),
      'bankAccount.businessNumber',
      'Must be 5 to 7 digits',
    ],
    [kenyan({ accountName: null }), 'bankAccount.accountName', 'Required: M-PESA does not return the holder’s name'],
    [
      { refundAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
      'refundAddress',
      'Must be an EVM address: 0x and 40 hexadecimal digits',
    ],
    [{ quoteId: 'quote' }, 'quoteId', 'Must be a UUID'],
    [{ quoteId: '01936f2a-7c1e-7000-8000-000000000010' }, 'quoteId', 'Quote not found'],
    [{ customerId: 'unknown' }, 'customerId', 'Must be a UUID'],
    [{ customerId: '01936f2a-7c1e-7000-8000-000000000010' }, 'customerId', 'Customer not found'],
    [{ reference: '' }, 'reference', 'Must be at least 1 character'],
    [
      account({ accountName: 'Ada\u202eibO' }),
      'bankAccount.accountName',
      'Must not contain control or bidirectional characters',
    ],
  ])('%o is rejected with 422 naming %s, and nothing is created', async (given, field, message) => {
    const merchant = await newMerchant(service)
    const answer = await merchant.call('POST /v1/offramps', { body: newOfframpBody(given) })
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: message }])
    expect((await merchant.call('GET /v1/offramps')).body.data).toEqual({ offramps: [], total: 0 })
    const { rows } = await service.runtime.pool.query('select 1 from fiat_polls where organisation_id = $1', [
      merchant.organisationId,
    ])
    expect(rows).toEqual([])
  })

  test('every M-Pesa channel is accepted', async () => {
    const merchant = await newMerchant(service)
    for (const bankAccount of [
      { accountNumber: '+254712345678' },
      { accountNumber: '+254712345678', channel: 'mobile' },
      { accountNumber: '123456', channel: 'till' },
      { accountNumber: 'INV1', channel: 'paybill', businessNumber: '888880' },
    ])
      expect((await newOfframp(merchant, kenyan(bankAccount))).accountCheck.status).toBe('unresolved')
  })

  test('a reference belongs to one offramp of an organisation and environment', async () => {
    const merchant = await newMerchant(service)
    await newOfframp(merchant, { reference: 'payroll-1' })
    const again = await merchant.call('POST /v1/offramps', { body: newOfframpBody({ reference: 'payroll-1' }) })
    expect([again.status, again.body.message]).toEqual([409, 'Reference already used'])
    const other = await newMerchant(service)
    expect((await newOfframp(other, { reference: 'payroll-1' })).reference).toBe('payroll-1')
    const race = await Promise.all(
      [1, 2, 3].map(() => merchant.call('POST /v1/offramps', { body: newOfframpBody({ reference: 'payroll-2' }) })),
    )
    expect(race.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test('the name check is kept as evidence: verified in any spelling, unresolved, or a mismatch', async () => {
    const merchant = await newMerchant(service)
    const checkOf = async (given: Record<string, unknown>) => {
      const { accountCheck, bankAccount } = await newOfframp(merchant, given)
      return [accountCheck.status, accountCheck.accountName, bankAccount.accountName]
    }
    expect(await checkOf({})).toEqual(['verified', 'OBI ADA', 'OBI ADA'])
    expect(await checkOf(account({ accountName: 'Adá Obi' }))).toEqual(['verified', 'OBI ADA', 'Adá Obi'])
    expect(await checkOf(account({ accountName: 'John Doe' }))).toEqual(['mismatch', 'OBI ADA', 'John Doe'])
    expect(await checkOf(kenyan({}))).toEqual(['unresolved', null, 'Ada Obi'])
  })

  test('in the live environment without a provider it answers 503 and stores nothing', async () => {
    const merchant = await newMerchant(service, { environment: 'live' })
    const answer = await merchant.call('POST /v1/offramps', { body: newOfframpBody() })
    expect([answer.status, answer.body.message]).toEqual([503, 'Local fiat is not available in the live environment'])
  })

  test('metadata and customer are returned, and lists filter by customer with exact totals', async () => {
    const merchant = await newMerchant(service)
    const customer = { name: 'Ada Obi', email: 'ada@example.com' }
    const customerId = (await merchant.call('POST /v1/customers', { body: customer })).body.data.id
    const metadata = { invoice: 'é "7"', batch: '1' }
    const order = await newOfframp(merchant, { customerId, metadata })
    expect(order).toMatchObject({ customerId, metadata })
    await newOfframp(merchant)
    const list = async (query: string) => (await merchant.call(`GET /v1/offramps${query}`)).body
    expect((await list('')).data.total).toBe(2)
    expect((await list(`?customerId=${customerId}`)).data).toMatchObject({ total: 1, offramps: [{ id: order.id }] })
    expect((await list('?customerId=01936f2a-7c1e-7000-8000-000000000010')).data).toEqual({ offramps: [], total: 0 })
    expect((await list('?customerId=x')).errors).toEqual({ customerId: 'Must be a UUID' })
    const { text } = await merchant.call(`GET /v1/offramps/export?customerId=${customerId}`)
    expect(text.trim().split('\r\n')[1]).toContain(
      `${order.id},pending,${customerId},,25,USDC,0.125,1580.25,39506.25,NGN`,
    )
  })
})

describe('quotes', () => {
  const quoteOf = async (merchant: Awaited<ReturnType<typeof newMerchant>>, given: object = {}) =>
    merchant.call('POST /v1/fiat/quotes/sell', {
      body: { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: '25', ...given },
    })

  test('an offramp takes rate, fee and amount of its quote, and is refused if it differs', async () => {
    const merchant = await newMerchant(service)
    const { status, body } = await quoteOf(merchant)
    expect([status, body.data]).toMatchObject([
      201,
      { networkKey: 'base', amount: '25', rate: '1580.25', fee: '0.125', convertedAmount: '39506.25' },
    ])
    const { quoteId, rate, fee, convertedAmount } = body.data
    expect(await newOfframp(merchant, { quoteId })).toMatchObject({ quoteId, rate, fee, convertedAmount })
    for (const [given, field] of [
      [{ amount: '26' }, 'amount'],
      [{ networkKey: 'ethereum' }, 'networkKey'],
      [{ networkKey: 'ethereum', sourceCurrency: 'USDT' }, 'sourceCurrency and networkKey'],
      [kenyan({}), 'destinationCurrency'],
    ] as const) {
      const answer = await merchant.call('POST /v1/offramps', { body: newOfframpBody({ quoteId, ...given }) })
      expect(answer.body.errors).toEqual({ quoteId: `The quote is for another ${field}` })
    }
    const stranger = await newMerchant(service)
    const stolen = await stranger.call('POST /v1/offramps', { body: newOfframpBody({ quoteId }) })
    expect(stolen.body.errors).toEqual({ quoteId: 'Quote not found' })
  })

  test('an expired quote is refused', async () => {
    const merchant = await newMerchant(service)
    const { quoteId } = (await quoteOf(merchant)).body.data
    await merchant.call('POST /v1/sandbox/advance', { body: { seconds: 300 } })
    const answer = await merchant.call('POST /v1/offramps', { body: newOfframpBody({ quoteId }) })
    expect(answer.body.errors).toEqual({ quoteId: 'Quote expired: request another one' })
  })

  test.each([
    [{ destinationCurrency: 'XYZ' }, 'destinationCurrency'],
    [{ sourceCurrency: 'EURC' }, 'sourceCurrency'],
    [{ networkKey: 'atlantis' }, 'networkKey'],
    [{ amount: '0.5' }, 'amount'],
    [{ amount: '1', destinationCurrency: 'KES' }, 'amount'],
  ])('a quote for %o is rejected with 422 naming the field', async (given, field) => {
    const answer = await quoteOf(await newMerchant(service), given)
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]])
  })
})

describe('an offramp', () => {
  test('passes through every state, each with its event, its journal entries and its receipt', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant)
    const poll = (seconds = 0) => pollAfter(service, merchant, 'offramp', id, seconds)
    expect((await poll()).status).toBe('pending')
    await fund(merchant, 'offramp', id)
    expect(await poll()).toMatchObject({ status: 'processing', depositedAmount: '25.125' })
    expect(await journal(service, merchant)).toEqual({ 'external USDC': '-25125000', 'clearing USDC': '25125000' })
    expect(await poll(1)).toMatchObject({ status: 'settled', estimatedSettlement: null })
    const converted = {
      'external USDC': '-25125000',
      'fees USDC': '125000',
      'exchange USDC': '25000000',
      'exchange NGN': '-3950625',
    }
    expect(await journal(service, merchant)).toEqual({ ...converted, 'clearing NGN': '3950625' })
    expect((await poll(1)).status).toBe('delivered')
    expect((await poll(1)).status).toBe('delivered')
    expect(await journal(service, merchant)).toEqual({ ...converted, 'destination NGN': '3950625' })
    expect(await eventsOf(service, id)).toEqual([
      '>pending',
      'pending>processing',
      'processing>settled',
      '(offramp.settled processing>settled)',
      'settled>delivered',
      '(offramp.delivered settled>delivered)',
    ])
    expect((await merchant.call('GET /v1/transactions')).body.data).toMatchObject({
      total: 1,
      transactions: [
        { kind: 'offramp', status: 'delivered', amount: '25 USDC', destination: 'Guaranty Trust Bank ••••6789' },
      ],
    })
    expect((await merchant.call('GET /v1/notifications')).body.data.notifications).toMatchObject([
      { type: 'payout.delivered', body: 'The bank confirmed the payout of 25 USDC to Guaranty Trust Bank ••••6789.' },
    ])
    await expectConsistent(service)
  })

  test('a first report that is several states ahead passes through each of them', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant)
    await fund(merchant, 'offramp', id)
    expect((await pollAfter(service, merchant, 'offramp', id, 10)).status).toBe('delivered')
    expect((await eventsOf(service, id)).filter((each) => !each.startsWith('('))).toEqual([
      '>pending',
      'pending>processing',
      'processing>settled',
      'settled>delivered',
    ])
    await expectConsistent(service)
  })

  test.each([
    ['0000000000', 'invalid_account_number'],
    ['0000000001', 'compliance_rejected'],
  ])('to %s fails with %s once it is funded, and its deposit is sent back', async (accountNumber, failureReason) => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant, account({ accountNumber }))
    await fund(merchant, 'offramp', id)
    const failed = await pollAfter(service, merchant, 'offramp', id, 2)
    expect(failed).toMatchObject({ status: 'failed', failureReason, refund: { status: 'pending', amount: null } })
    expect(await journal(service, merchant)).toEqual({ 'external USDC': '-25125000', 'clearing USDC': '25125000' })
    const refunded = await pollAfter(service, merchant, 'offramp', id, 2)
    expect(refunded.refund).toMatchObject({ status: 'completed', amount: '25.125', address: failed.refundAddress })
    expect(await journal(service, merchant)).toEqual({})
    expect(await eventsOf(service, id)).toEqual([
      '>pending',
      'pending>processing',
      'processing>failed',
      'failed>failed',
    ])
    const { notifications } = (await merchant.call('GET /v1/notifications')).body.data
    expect(notifications.map(({ type }: { type: string }) => type).sort()).toEqual(['money.returned', 'payout.failed'])
    const { transactions } = (await merchant.call('GET /v1/transactions')).body.data
    expect(transactions).toMatchObject([
      { status: 'failed', receipt: { failureReason, refund: { status: 'completed', amount: '25.125' } } },
    ])
    await expectConsistent(service)
  })

  test('that the bank returns is reversed in the journal and sent back, with an event for each step', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant, account({ accountNumber: '0000000002' }))
    await fund(merchant, 'offramp', id)
    expect((await pollAfter(service, merchant, 'offramp', id, 1)).status).toBe('settled')
    expect(await pollAfter(service, merchant, 'offramp', id, 1)).toMatchObject({
      status: 'failed',
      failureReason: 'returned_by_bank',
    })
    expect(await journal(service, merchant)).toEqual({ 'external USDC': '-25125000', 'clearing USDC': '25125000' })
    expect((await pollAfter(service, merchant, 'offramp', id, 2)).refund.status).toBe('completed')
    expect(await journal(service, merchant)).toEqual({})
    expect(await eventsOf(service, id)).toEqual([
      '>pending',
      'pending>processing',
      'processing>settled',
      '(offramp.settled processing>settled)',
      'settled>failed',
      'failed>failed',
    ])
    await expectConsistent(service)
  })

  test('that nobody funds fails with deposit_not_received; a deposit that comes later is sent back', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant)
    const failed = await pollAfter(service, merchant, 'offramp', id, 1800)
    expect(failed).toMatchObject({ status: 'failed', failureReason: 'deposit_not_received', refund: null })
    await fund(merchant, 'offramp', id)
    await pollAfter(service, merchant, 'offramp', id, 2)
    const refunded = await pollAfter(service, merchant, 'offramp', id, 2)
    expect(refunded).toMatchObject({ status: 'failed', depositedAmount: '25.125', refund: { status: 'completed' } })
    expect(await eventsOf(service, id)).toEqual(['>pending', 'pending>failed', 'failed>failed', 'failed>failed'])
    expect(await journal(service, merchant)).toEqual({})
    await expectConsistent(service)
  })

  test('to account 0000000003 can be read as settled, until the clock has moved on', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant, account({ accountNumber: '0000000003' }))
    await fund(merchant, 'offramp', id)
    for (const seconds of [5, 300, 0])
      expect((await pollAfter(service, merchant, 'offramp', id, seconds)).status).toBe('settled')
    expect((await pollAfter(service, merchant, 'offramp', id, 300)).status).toBe('delivered')
    await expectConsistent(service)
  })

  test('pays out what arrived, less its fee, at the same rate', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant)
    await fund(merchant, 'offramp', id, '10.125')
    expect(await pollAfter(service, merchant, 'offramp', id, 5)).toMatchObject({
      status: 'delivered',
      amount: '25',
      depositedAmount: '10.125',
      fee: '0.125',
      convertedAmount: '15802.5',
    })
    await expectConsistent(service)
  })

  test('whose amount ends in .13 stays in processing with an unknown outcome for 30 s, then is delivered', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant, { amount: '25.13' })
    await fund(merchant, 'offramp', id)
    const unknown = { status: 'processing', providerOutcome: 'unknown' }
    expect(await pollAfter(service, merchant, 'offramp', id)).toMatchObject(unknown)
    expect(await pollAfter(service, merchant, 'offramp', id, 20)).toMatchObject(unknown)
    expect(await pollAfter(service, merchant, 'offramp', id, 10)).toMatchObject({
      status: 'delivered',
      providerOutcome: null,
    })
    await expectConsistent(service)
  })

  test('is funded once in the sandbox', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newOfframp(merchant)
    await fund(merchant, 'offramp', id)
    const again = await merchant.call(`POST /v1/sandbox/offramps/${id}/deposits`, { body: {} })
    expect([again.status, again.body.message]).toEqual([409, 'The order has already received its money'])
  })
})

describe('the lookup by ofr_ id', () => {
  test('has exactly the specified fields, in their states only, and exact numbers', async () => {
    const merchant = await newMerchant(service)
    const metadata = { order: '7' }
    const created = await newOfframp(merchant, {
      amount: '999999.999999',
      reference: 'big',
      metadata,
      refundAddress: WALLET,
      ...account({ accountNumber: '0000000000' }),
    })
    const lookup = () => merchant.call(`GET /v1/offramp/${created.offrampId}`)
    const before = await lookup()
    expect(before.text).toContain('"amount":999999.999999,')
    expect(before.text).toContain('"converted_amount":1580249999.99,')
    expect(before.text).toContain('"fee":5000,')
    const fields = {
      id: `ofr_${created.id.replaceAll('-', '')}`,
      status: 'pending',
      amount: 999999.999999,
      source_currency: 'USDC',
      destination_currency: 'NGN',
      converted_amount: 1580249999.99,
      fee: 5000,
      bank_account: {
        holder_name: 'OBI ADA',
        account_number: '0000000000',
        bank_name: 'Guaranty Trust Bank',
        bank_country: 'NG',
      },
      reference: 'big',
      created_at: created.createdAt,
      metadata,
    }
    expect(before.body.data).toEqual({
      ...fields,
      estimated_settlement: created.estimatedSettlement,
      updated_at: created.updatedAt,
    })
    await fund(merchant, 'offramp', created.id)
    const failed = await pollAfter(service, merchant, 'offramp', created.id, 5)
    expect((await lookup()).body.data).toEqual({
      ...fields,
      status: 'failed',
      failure_reason: 'invalid_account_number',
      updated_at: failed.updatedAt,
    })
    const upper = await merchant.call(`GET /v1/offramp/${created.offrampId.toUpperCase().replace('OFR_', 'ofr_')}`)
    expect(upper.status).toBe(200)
  })

  test('without a reference shows null, and finds nothing under another spelling or of another organisation', async () => {
    const merchant = await newMerchant(service)
    const { id, offrampId } = await newOfframp(merchant)
    expect((await merchant.call(`GET /v1/offramp/${offrampId}`)).body.data.reference).toBeNull()
    const stranger = await newMerchant(service)
    for (const [caller, wrong] of [
      [merchant, id],
      [merchant, `ofr_${id}`],
      [merchant, 'ofr_1'],
      [stranger, offrampId],
    ] as const) {
      const answer = await caller.call(`GET /v1/offramp/${wrong}`)
      expect([answer.status, answer.body.message]).toEqual([404, 'Offramp not found'])
    }
  })
})
