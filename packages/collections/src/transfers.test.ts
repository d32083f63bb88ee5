import { anonymous, assetNamed, toDecimal, toMinor } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import {
  act,
  advance,
  call,
  dyingEverywhere,
  expectConsistent,
  newCollection,
  newCollectionBody,
  newMerchant,
  payPageOf,
  paySession,
  signedIn,
  useService,
} from '#testing'
import { eventsOf, getSession, inOrder, settle } from '../test/sessions.ts'
import { asked, pollTransfers, priced, settleTransfers, transfer, transferSession } from '../test/transfers.ts'
import { prepareStart, start } from './sessions/sessions.ts'

const service = useService({ settings: { OPERATOR_EMAILS: 'operator@example.com,second@example.com' } })

const postings = async (organisationId: string) => {
  const { rows } = await service.runtime.pool.query<{ account: string; amount: string }>(
    `select a.purpose || ' ' || a.asset as account, sum(p.amount)::text as amount
       from ledger_postings p join ledger_accounts a on a.id = p.account_id
      where a.organisation_id = $1 group by 1 having sum(p.amount) <> 0 order by 1`,
    [organisationId],
  )
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]))
}

describe('offering a bank transfer', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    [
      'where other amounts are sent back',
      { paymentPolicy: { mismatch: 'return' } },
      'methods',
      'A bank transfer cannot be combined with mismatch "return": a part of it cannot be sent back',
    ],
    [
      'for a stablecoin that no provider delivers there',
      { destinationChainKey: 'tron', currency: 'EURC', destinationAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
      'currency',
      'Not available on tron: one of USDT',
    ],
    [
      'for a stablecoin that no provider of local fiat delivers',
      { currency: 'EURC', pricing: { currency: 'EUR', amount: '20' } },
      'methods',
      'A bank transfer is not available for EURC on base',
    ],
    [
      'below the smallest transfer',
      { pricing: { currency: 'NGN', amount: '499.99' } },
      'pricing.amount',
      'Must be at least 500 NGN for a bank transfer',
    ],
    [
      'with a price in dollars below the smallest transfer',
      { pricing: { currency: 'USD', amount: '0.31' } },
      'pricing.amount',
      'Must be at least 500 NGN for a bank transfer: it is about 489.88 NGN',
    ],
    [
      'with an amount above the largest transfer',
      { pricing: undefined, amount: '1265623' },
      'amount',
      'Must be at most 2000000000 NGN for a bank transfer: it is about 2000000745.75 NGN',
    ],
    [
      'with items below the smallest transfer',
      {
        type: 'invoice',
        pricing: undefined,
        items: [{ description: 'Copy', quantity: 1, unitAmount: '0.1' }],
      },
      'items',
      'Must be at least 500 NGN for a bank transfer: it is about 158.03 NGN',
    ],
    [
      'alone',
      { methods: ['bank_transfer'] },
      'methods',
      'Must contain "onchain": a bank transfer is offered beside the networks',
    ],
  ])('is refused %s, at the field', async (_why, given, field, message) => {
    const merchant = await newMerchant(service)
    const body = newCollectionBody({ ...priced, ...given })
    const answer = await merchant.call('POST /v1/collections', { body })
    expect([answer.status, answer.body.errors]).toEqual([422, { [field]: message }])
    expect((await merchant.call('GET /v1/collections')).body.data.total).toBe(0)
  })

  test('shows payers what it needs; a collection without it does not', async () => {
    const merchant = await newMerchant(service)
    const offered = await newCollection(merchant, priced)
    expect(offered).toMatchObject({ methods: ['onchain', 'bank_transfer'] })
    expect((await payPageOf(service, offered.id)).bankTransfer).toMatchObject({
      currency: 'NGN',
      minAmount: '500',
      refundAccountRequired: false,
      banks: expect.arrayContaining([{ code: '058', name: 'Guaranty Trust Bank' }]),
    })
    const plain = await newCollection(merchant)
    expect([plain.methods, (await payPageOf(service, plain.id)).bankTransfer]).toEqual([['onchain'], null])
    const refused = await act(service, plain.id, { action: 'start', method: 'bank_transfer' })
    expect([refused.status, refused.body.errors]).toEqual([422, { method: 'Not available for this payment' }])
  })

  test.each<[string, Record<string, unknown>, string | null]>([
    ['exactly, for a price in naira', {}, '15000'],
    ['about, for a price in dollars', { pricing: { currency: 'USD', amount: '25' } }, '39506.25'],
    ['not yet, where the rate of the price is that of the start', { pricing: { currency: 'EUR', amount: '20' } }, null],
    ['about, for an amount', { pricing: undefined, amount: '25' }, '39506.25'],
    ['not yet, where the payer chooses', { pricing: undefined, amount: undefined }, null],
  ])('tells what a transfer is %s', async (_how, given, estimatedAmount) => {
    const { id } = await newCollection(await newMerchant(service), { ...priced, ...given })
    expect((await payPageOf(service, id)).bankTransfer).toMatchObject({ currency: 'NGN', estimatedAmount })
  })

  test.each([
    ['0.31', 'Too little for a bank transfer: at least 500 NGN'],
    ['1265623', 'Too much for a bank transfer: at most 2000000000 NGN'],
  ])('of what the payer chooses keeps the limits: %s', async (amount, method) => {
    const { id } = await newCollection(await newMerchant(service), { ...priced, pricing: undefined })
    const refused = await act(service, id, { action: 'start', method: 'bank_transfer', amount })
    expect([refused.status, refused.body.errors]).toEqual([422, { method }])
  })
})

describe.each(Object.entries(asked))('a session that is paid by bank transfer, with %s,', (name, given) => {
  const isInNaira = name === 'a price in naira'

  test('has an account beside its address, is paid once the stablecoin is delivered, and is one transaction', async () => {
    const { merchant, session } = await transferSession(service, given)
    const { amount } = session.bankAccount
    const kobo = toMinor(amount, assetNamed('NGN'))
    expect(session).toMatchObject({
      method: 'bank_transfer',
      status: 'awaiting_payment',
      depositAddress: expect.any(String),
      pricing: given.pricing ?? null,
      bankAccount: { currency: 'NGN', accountNumber: expect.stringMatching(/^\d{10}$/) },
    })
    if (isInNaira) expect(amount).toBe('15000')
    expect(Date.parse(session.bankAccount.expiresAt)).toBeLessThanOrEqual(Date.parse(session.expiresAt))
    expect((await transfer(merchant, session.id)).body.data).toMatchObject({
      method: 'bank_transfer',
      networkKey: null,
      amount,
      currency: 'NGN',
    })
    await pollTransfers(service, merchant)
    expect(await getSession(merchant, session.id)).toMatchObject({
      status: 'processing',
      bankAccount: null,
      receivedAmount: '0',
    })
    await settleTransfers(service, merchant)
    const paid = await getSession(merchant, session.id)
    expect(paid).toMatchObject({ status: 'paid', receivedAmount: paid.amount, remainingAmount: '0', paidOver: false })
    const [payment] = paid.payments
    expect(payment).toMatchObject({
      method: 'bank_transfer',
      networkKey: null,
      currency: 'NGN',
      amount,
      creditedAmount: paid.amount,
      status: 'completed',
      counts: true,
      txHash: expect.stringMatching(/^0x/),
    })
    expect(await eventsOf(service, merchant)).toEqual([
      'link >active',
      'session >awaiting_payment',
      'session awaiting_payment>processing',
      'session processing>paid',
    ])
    const { transactions } = (await merchant.call('GET /v1/transactions')).body.data
    expect(transactions).toHaveLength(1)
    expect(transactions[0]).toMatchObject({
      kind: 'collection',
      status: 'paid',
      receipt: {
        pricing: given.pricing ?? null,
        payments: [{ network: '', symbol: 'NGN', amount, credited: paid.amount, status: 'completed' }],
      },
    })
    const booked = await postings(merchant.organisationId)
    expect(booked['external NGN']).toBe(`${-kobo}`)
    expect(booked['exchange NGN']).toBe(`${kobo}`)
    const units = (text: string) => toMinor(text, assetNamed('USDC'))
    if (isInNaira) expect(units(paid.deliveredAmount) + units(paid.fees)).toBe(units(paid.amount))
    else {
      // The payer carried the fees. A kobo buys less than 7 millionths, and the rate and the fee are rounded to one each.
      expect(paid.fees).toBe('0')
      const above = units(paid.deliveredAmount) - units(paid.amount)
      expect(above >= 0n && above <= 13n).toBe(true)
    }
    expect(BigInt(booked['destination USDC'] ?? 0) + BigInt(booked['fees USDC'] ?? 0)).toBe(
      -BigInt(booked['exchange USDC'] ?? 0),
    )
    await inOrder(service)
  })

  test('is underpaid by a smaller transfer, and the rest is transferred to another account of the same session', async () => {
    const { merchant, session } = await transferSession(service, given)
    const kobo = toMinor(session.bankAccount.amount, assetNamed('NGN'))
    const first = (kobo * 2n) / 5n
    await transfer(merchant, session.id, { amount: toDecimal(first, assetNamed('NGN')) })
    await settleTransfers(service, merchant)
    const part = await getSession(merchant, session.id)
    expect(part).toMatchObject({ status: 'underpaid', bankAccount: null })
    const { currency, amount } = given.pricing ?? { currency: 'USD', amount: '25' }
    expect(part.fiatValue).toEqual({ currency, amount: (Number(amount) * 0.6).toFixed(2) })
    const { estimatedAmount } = (await payPageOf(service, session.id)).bankTransfer
    const more = () => act(service, session.id, { action: 'start', method: 'bank_transfer' })
    const again = (await more()).body.data
    expect(again).toMatchObject({ id: session.id, status: 'underpaid', bankAccount: { currency: 'NGN' } })
    const second = toMinor(again.bankAccount.amount, assetNamed('NGN'))
    // Both together are what was asked for at first; each is rounded up to the kobo.
    expect(first + second - kobo >= -1n && first + second - kobo <= 2n).toBe(true)
    // About that, before the fee of 0.5 %.
    if (isInNaira) expect(estimatedAmount).toBe(again.bankAccount.amount)
    else expect(Number(estimatedAmount) / Number(again.bankAccount.amount)).toBeCloseTo(0.995, 6)
    expect(again.bankAccount.accountNumber).not.toBe(session.bankAccount.accountNumber)
    // Asked again, it is the same account.
    expect((await more()).body.data.bankAccount).toEqual(again.bankAccount)
    await transfer(merchant, session.id)
    await settleTransfers(service, merchant)
    expect(await getSession(merchant, session.id)).toMatchObject({
      status: 'paid',
      receivedAmount: part.amount,
      paidOver: false,
    })
    await inOrder(service)
  })

  test.each(['the transfer first', 'the stablecoin first', 'both at once'])(
    'is overpaid when both ways are paid: %s',
    async (order) => {
      const { merchant, collection, session } = await transferSession(service, { ...given, type: 'checkout' })
      const steps = { bank: () => settleTransfers(service, merchant), chain: () => settle(service, merchant) }
      const pay = {
        bank: () => transfer(merchant, session.id),
        chain: () =>
          paySession(merchant, session.id, {
            amount: session.amount,
            currency: session.currency,
            networkKey: session.networkKey,
          }),
      }
      if (order === 'both at once') {
        await Promise.all([pay.bank(), pay.chain()])
        await Promise.all([steps.bank(), steps.chain()])
        await settleTransfers(service, merchant)
        await settle(service, merchant)
      } else
        for (const way of order === 'the transfer first'
          ? (['bank', 'chain'] as const)
          : (['chain', 'bank'] as const)) {
          await pay[way]()
          await steps[way]()
        }
      const both = await getSession(merchant, session.id)
      expect(both).toMatchObject({ status: 'paid', paidOver: true })
      const minor = (amount: string) => toMinor(amount, assetNamed(both.currency))
      expect(minor(both.receivedAmount)).toBe(2n * minor(both.amount))
      expect(await getSession(merchant, collection.id)).toMatchObject({ status: 'paid', paymentsCount: 1 })
      const { transactions, total } = (await merchant.call('GET /v1/transactions')).body.data
      expect([total, transactions[0].receipt.payments.length]).toEqual([1, 2])
      await inOrder(service)
    },
  )
})

describe('a session that is paid by bank transfer', () => {
  test('hides its onramp: it is in no list, at no address and in no event', async () => {
    const { merchant, session } = await transferSession(service)
    await transfer(merchant, session.id)
    await settleTransfers(service, merchant)
    const { rows } = await service.runtime.pool.query<{ id: string }>('select id from onramps where owner_id = $1', [
      session.id,
    ])
    expect(rows).toHaveLength(1)
    expect((await merchant.call('GET /v1/onramps')).body.data).toEqual({ onramps: [], total: 0 })
    expect((await merchant.call(`GET /v1/onramps/${rows[0]?.id}`)).status).toBe(404)
    expect((await merchant.call(`POST /v1/sandbox/onramps/${rows[0]?.id}/payments`, { body: {} })).status).toBe(404)
    const { events } = (await merchant.call('GET /v1/events')).body.data
    expect(events.map(({ type }: { type: string }) => type)).not.toContain('onramp.created')
    const { entries } = (await merchant.call(`GET /v1/timeline/${session.id}`)).body.data
    expect(entries.length).toBeGreaterThan(0)
    await expectConsistent(service)
  })

  test('gives no account for the rest of a checkout that its merchant has withdrawn', async () => {
    const { merchant, collection, session } = await transferSession(service, { type: 'checkout' })
    await transfer(merchant, session.id, { amount: '6000' })
    await settleTransfers(service, merchant)
    await merchant.call(`DELETE /v1/collections/${collection.id}`)
    const more = await act(service, session.id, { action: 'start', method: 'bank_transfer' })
    expect([more.status, more.body.message]).toEqual([409, 'Collection accepts no payments any more'])
  })

  test('takes the rest in stablecoin at its address', async () => {
    const { merchant, session } = await transferSession(service)
    await transfer(merchant, session.id, { amount: '7500' })
    await settleTransfers(service, merchant)
    const { remainingAmount } = await getSession(merchant, session.id)
    await paySession(merchant, session.id, { amount: remainingAmount })
    await settle(service, merchant)
    expect(await getSession(merchant, session.id)).toMatchObject({ status: 'paid', paidOver: false })
    expect((await merchant.call('GET /v1/transactions')).body.data.total).toBe(1)
    await inOrder(service)
  })

  test('asks for the rest alone once stablecoin has come in, and not for the whole at the account that it gave', async () => {
    const { merchant, session } = await transferSession(service)
    const { networkKey, currency } = session
    await paySession(merchant, session.id, { networkKey, currency, amount: '4' })
    await settle(service, merchant)
    const part = await getSession(merchant, session.id)
    expect(part).toMatchObject({ status: 'underpaid', method: 'bank_transfer', bankAccount: null })
    const again = (await act(service, session.id, { action: 'start', method: 'bank_transfer' })).body.data
    expect(again.bankAccount.accountNumber).not.toBe(session.bankAccount.accountNumber)
    const kobo = (text: string) => toMinor(text, assetNamed('NGN'))
    expect(kobo(again.bankAccount.amount)).toBe(kobo(part.fiatValue.amount))
    await transfer(merchant, session.id)
    await settleTransfers(service, merchant)
    const paid = await getSession(merchant, session.id)
    expect(paid).toMatchObject({ status: 'paid', receivedAmount: session.amount, paidOver: false, bankAccount: null })
    await inOrder(service)
  })

  test('of which too little is left for another offers stablecoin alone for the rest', async () => {
    const { merchant, session } = await transferSession(service, { pricing: { currency: 'USD', amount: '1' } })
    await transfer(merchant, session.id, { amount: '1200' })
    await settleTransfers(service, merchant)
    const page = await payPageOf(service, session.id)
    expect([page.status, page.bankTransfer]).toEqual(['underpaid', null])
    const more = await act(service, session.id, { action: 'start', method: 'bank_transfer' })
    expect(more.body.errors).toEqual({ method: 'Too little for a bank transfer: at least 500 NGN' })
  })

  test.each([
    ['refunded', 'returned', 'refunded', null],
    ['failed', 'failed', 'failed', 'delivery_failed'],
    ['blocked', 'failed', 'failed', 'provider_blocked'],
  ] as const)('with the outcome %s is %s, as with stablecoin', async (outcome, status, payment, reason) => {
    const { merchant, session } = await transferSession(service)
    await transfer(merchant, session.id, { outcome })
    await settleTransfers(service, merchant)
    expect(await getSession(merchant, session.id)).toMatchObject({
      status,
      failureReason: reason,
      payments: [{ status: payment, amount: '15000' }],
    })
    await inOrder(service)
  })

  test('that is held is settled by an operator: what is delivered after all counts', async () => {
    const { merchant, session } = await transferSession(service)
    await transfer(merchant, session.id, { outcome: 'blocked' })
    await settleTransfers(service, merchant)
    const { accessToken: token } = await signedIn(service.runtime, { role: 'operator' })
    const body = { outcome: 'completed', amount: '9.4', evidence: 'Ticket 4711', reason: 'The provider released it' }
    const answer = await call(service, `POST /v1/admin/ops/checkout-sessions/${session.id}/settle`, {
      token,
      key: null,
      body,
    })
    expect([answer.status, answer.body.message]).toEqual([200, 'Checkout session settled'])
    expect(await getSession(merchant, session.id)).toMatchObject({ status: 'paid', deliveredAmount: '9.4' })
    await inOrder(service)
  })

  test('counts within the grace time, and later is delivered without counting', async () => {
    const inGrace = await transferSession(service)
    await advance(inGrace.merchant, 20 * 60)
    await transfer(inGrace.merchant, inGrace.session.id)
    await settleTransfers(service, inGrace.merchant)
    expect(await getSession(inGrace.merchant, inGrace.session.id)).toMatchObject({ status: 'paid', paidLate: true })
    const late = await transferSession(service)
    await advance(late.merchant, 76 * 60)
    await act(service, late.session.id, { action: 'refresh' })
    await transfer(late.merchant, late.session.id)
    await settleTransfers(service, late.merchant)
    expect(await getSession(late.merchant, late.session.id)).toMatchObject({
      status: 'expired',
      receivedAmount: late.session.amount,
      payments: [{ status: 'completed', counts: false }],
    })
    await inOrder(service)
  })

  test('takes one transfer to an account', async () => {
    const { merchant, session } = await transferSession(service)
    await transfer(merchant, session.id)
    const again = await transfer(merchant, session.id)
    expect([again.status, again.body.message]).toEqual([409, 'The order has already received its money'])
  })
})

describe.each(Object.entries(asked))('a crash, with %s,', (_name, given) => {
  test('before the one statement of a start with a bank transfer leaves neither a session, nor a route, nor an onramp', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newCollection(merchant, { ...priced, ...given })
    const input = { collectionId: id, action: 'start', method: 'bank_transfer' } as const
    const context = queryContext(service.runtime, anonymous)
    const count = async () =>
      (
        await service.runtime.pool.query(
          `select (select count(*)::int from checkout_sessions where organisation_id = $1) as sessions,
                  (select count(*)::int from payment_routes where organisation_id = $1) as routes,
                  (select count(*)::int from onramps where organisation_id = $1) as onramps,
                  (select count(*)::int from fiat_polls where organisation_id = $1) as polls`,
          [merchant.organisationId],
        )
      ).rows[0]
    const cuts = await dyingEverywhere(
      service,
      async (runtime) => {
        const prepared = await prepareStart(
          context,
          input,
          service.process.callContext(anonymous, { ip: '198.51.100.9' }),
        )
        return unitOfWork(queryContext(runtime, anonymous), (unit) => start(unit, input, prepared))
      },
      async (cut) =>
        expect(await count()).toEqual(
          cut === null
            ? { sessions: 1, routes: 1, onramps: 1, polls: 1 }
            : { sessions: 0, routes: 0, onramps: 0, polls: 0 },
        ),
    )
    expect(cuts).toBe(1)
  })

  test('before any statement of a report of a transfer changes nothing; the next poll applies all of it once', {
    timeout: 120_000,
  }, async () => {
    const [task] = (await import('@payments/fiat')).fiat.work?.tasks ?? []
    const { pool } = service.runtime
    const cuts = await dyingEverywhere(
      service,
      async (runtime) => {
        const { merchant, session } = await transferSession(service, { ...given, type: 'checkout' })
        await transfer(merchant, session.id, { amount: '60000' })
        await pool.query("update sandbox_fiat_orders set received_at = received_at - interval '5 seconds'")
        await pool.query(
          "update fiat_polls set next_poll_at = case when id in (select id from onramps where owner_id = $1) then now() else now() + interval '1 hour' end",
          [session.id],
        )
        await pool.query("update provider_budgets set refilled_at = refilled_at - interval '1 hour'")
        const before = await getSession(merchant, session.id)
        await task?.run(runtime)
        await task?.stop?.(runtime)
        return { merchant, session, before }
      },
      async (cut, ran) => {
        if (!ran) throw new Error('The task failed')
        const { merchant, session, before } = ran
        const after = await getSession(merchant, session.id)
        if (cut === null) expect(after).toMatchObject({ status: 'paid' })
        else expect(after, `statement ${cut}`).toEqual(before)
        await pollTransfers(service, merchant)
        await pollTransfers(service, merchant)
        expect(await getSession(merchant, session.id)).toMatchObject({ status: 'paid', paidOver: true })
        expect((await eventsOf(service, merchant)).toSorted()).toEqual([
          'checkout >open',
          'checkout open>paid',
          'session >awaiting_payment',
          'session awaiting_payment>processing',
          'session processing>paid',
        ])
        expect((await postings(merchant.organisationId))['external NGN']).toBe('-6000000')
      },
    )
    expect(cuts).toBeGreaterThan(0)
    await inOrder(service)
  })
})
