import { describe, expect, test } from 'vitest'
import { type Case, cases, dataOf, HASH, pageOf, paymentOf, REFUND, sessionOf } from '../../test/situations.ts'
import { locales, type PaySession, type View } from '../data.ts'
import { fillPlain } from '../html/fill.ts'
import { content } from '../screens/content.ts'
import { languages, texts } from '../texts.ts'
import { moneyOf } from './facts.ts'
import { amountIn, decimalOf, moneyIn, unitsOf } from './numbers.ts'
import { situationOf } from './situation.ts'

const networks = {
  ethereum: { name: 'Ethereum', type: 'evm' },
  base: { name: 'Base', type: 'evm' },
} as const
const view: View = { locale: 'en', texts: texts.en, languages, networks, embedded: false, wallet: 'other' }
const english = { locale: 'en', networks, texts: texts.en } as const

/** What is said of a situation, in English. */
function said(of: Case, session: Partial<PaySession> = {}, more: object = {}) {
  const all = moneyOf({ ...dataOf(of, { ...sessionOf(of), ...session }), ...more }, english)
  const say = (name: keyof typeof texts.en) => fillPlain(texts.en[name], all.values)
  // Between an amount and the name of its money stands a space at which no line breaks.
  return { ...all, text: [say(all.heading), ...all.texts.map(say)].join('\n').replaceAll('\u00a0', ' ') }
}

const named = cases.map((of) => [`${of.what} ${of.when} ${of.outcome}`, of] as const)

describe.each(named)('%s', (_name, of) => {
  const { what, when, outcome } = of
  const { step, text, texts: names } = said(of)
  test('is what its session is', () => {
    expect(situationOf(dataOf(of))).toMatchObject({ what, when, outcome })
  })

  test('is said in every language, with every value', () => {
    for (const locale of locales) {
      const { heading, texts: sentences, values } = moneyOf(dataOf(of), { locale, networks, texts: texts[locale] })
      for (const name of [heading, ...sentences]) {
        const filled = fillPlain(texts[locale][name], values)
        expect([locale, name, filled]).toEqual([locale, name, expect.not.stringMatching(/[{}]|NaN|undefined|\s-\d/)])
      }
      expect(new Set(sentences).size).toBe(sentences.length)
    }
  })

  test('asks for money only where it would count, and never again for what is held or on its way', () => {
    const asksForMore = step === 'pay' || step === 'rest' || step === 'again'
    if (when === 'void' || when === 'suspended') expect([step, asksForMore]).toEqual([step, false])
    if (['failed', 'returning', 'pending'].includes(outcome)) expect([step, asksForMore]).toEqual([step, false])
    if (outcome === 'delivered' && what !== 'part') expect([step, asksForMore]).toEqual([step, false])
    if (step === 'pay' || step === 'rest') expect(['in_time', 'grace']).toContain(when)
    if (step === 'wait') expect([what, outcome]).toEqual(['all_confirming', 'pending'])
    if (step === 'end' && outcome === 'delivered') expect(sessionOf(of).status).toBe('paid')
    if (step === 'rest') expect(text).toContain(when === 'grace' ? '13:15 UTC' : '12:15 UTC')
  })

  test('says where the money is, and what and on which network it was', () => {
    if (what === 'nothing' || what === 'unknown_confirming') return
    expect(text).toMatch(/\d+ USD[CT]/)
    if (outcome === 'returned') expect(text).toContain(REFUND)
    if (outcome === 'returning') expect(text).toContain(`at ${REFUND}, which passes it on`)
    if (outcome === 'failed') expect(text).toMatch(/holds it/)
    if (outcome === 'unconfirmed') expect(text).toContain('nothing was received')
    if (outcome === 'delivered') expect(text).toMatch(/went to Ada Ltd|Ada Ltd has received/)
    if (outcome === 'delivered' && (when === 'late' || when === 'cancelled' || what === 'other'))
      expect(text).toContain('cannot be matched to this order')
    if (outcome === 'pending') expect(names).toContain('confirmingTime')
  })

  test('is the page of its session', () => {
    const page = content(pageOf(of), view).text
    const plain = page.replace(/<[^>]+>/g, '')
    for (const sentence of text.split('\n')) expect(plain).toContain(sentence)
    expect(page.includes('id="address-text"')).toBe(['pay', 'rest', 'ask_open'].includes(step))
    expect(page.includes('id="again"')).toBe(step === 'again')
    if (what !== 'nothing') expect(page).toContain(HASH)
  })
})

const of = (what: Case['what'], when: Case['when'], outcome: Case['outcome']): Case => ({ what, when, outcome })

test.each<[string, ReturnType<typeof said>, string]>([
  [
    'a part in time',
    said(of('part', 'in_time', 'delivered')),
    '15 USDC left to pay\nAda Ltd has received 10 USDC of 25 USDC.\nSend 15 USDC on Ethereum to the same address by 31 Jan 2026, 12:15 UTC.',
  ],
  [
    'a part, and the time is over, while the rest still counts',
    said(of('part', 'grace', 'delivered')),
    '15 USDC left to pay\nAda Ltd has received 10 USDC of 25 USDC.\nThe payment has expired, but the rest is still accepted.\nSend 15 USDC on Ethereum to the same address by 31 Jan 2026, 13:15 UTC.',
  ],
  [
    'a part in time, and later nothing',
    said(of('part', 'late', 'delivered'), {
      payments: [{ ...paymentOf(of('part', 'late', 'delivered')), counts: true }],
    }),
    'This payment has expired\nAda Ltd has received 10 USDC of 25 USDC.\nThe rest, 15 USDC, was not paid in time.\nAsk Ada Ltd before you send anything else.',
  ],
  [
    'a part, and the merchant has withdrawn the request',
    said(of('part', 'void', 'delivered')),
    'Withdrawn\nAda Ltd has received 10 USDC of 25 USDC.\nAda Ltd has withdrawn this request for payment.\nDo not send the rest.\nAsk Ada Ltd before you send anything else.',
  ],
  [
    'a part is being confirmed',
    said(of('part_confirming', 'in_time', 'pending')),
    'Payment received\nYour payment of 10 USDC has arrived and is being confirmed. 25 USDC was asked for.\n15 USDC will still be left to pay by 31 Jan 2026, 12:15 UTC: this page will say how.\nThis takes a few minutes at most.',
  ],
  [
    'all is being confirmed',
    said(of('all_confirming', 'in_time', 'pending')),
    'Payment received\nYour payment of 25 USDC has arrived and is being confirmed.\nThis takes a few minutes at most.\nYou’re all set.',
  ],
  [
    'within the tolerance is all',
    said(of('part_confirming', 'in_time', 'pending'), {
      payments: [
        { ...paymentOf(of('part_confirming', 'in_time', 'pending')), amount: '24.875', creditedAmount: '24.875' },
      ],
    }),
    'Payment received\nYour payment of 24.875 USDC has arrived and is being confirmed.\nThis takes a few minutes at most.\nYou’re all set.',
  ],
  [
    'after the end of the grace time',
    said(of('all', 'late', 'delivered')),
    'Your payment arrived too late\nYour payment of 25 USDC on Ethereum arrived too late. It went to Ada Ltd, but cannot be matched to this order automatically.\nAsk Ada Ltd before you send anything else.',
  ],
  [
    'too little where other amounts are sent back',
    said(of('part', 'in_time', 'returned'), {}, { refundRequired: true }),
    `Payment returned\nYour payment of 10 USDC on Ethereum could not be accepted and was sent back. Network fees may have been deducted.\nIt went to your address ${REFUND}.\nLess than 25 USDC is not accepted here.\nStart again to get a new amount and address.`,
  ],
  [
    'too much where the excess is sent back',
    said(of('too_much', 'in_time', 'delivered'), {
      receivedAmount: '25',
      paidOver: false,
      payments: [{ ...paymentOf(of('too_much', 'in_time', 'delivered')), returnedAmount: '5' }],
    }),
    `Paid\nAda Ltd has received your payment of 25 USDC.\nYou sent 5 USDC more than the 25 USDC that was asked for. The 5 USDC was sent back. Network fees may have been deducted.\nIt went to your address ${REFUND}.`,
  ],
  [
    'a part that the quote had as a buffer is sent back, and was not too much',
    said(of('all', 'in_time', 'delivered'), {
      receivedAmount: '24.9',
      paidOver: false,
      payments: [{ ...paymentOf(of('all', 'in_time', 'delivered')), returnedAmount: '0.1' }],
    }),
    'Paid\nAda Ltd has received your payment of 24.9 USDC.',
  ],
  [
    'too much, and all of it kept',
    said(of('too_much', 'in_time', 'delivered')),
    'Paid\nAda Ltd has received your payment of 30 USDC.\nIt is 5 USDC more than the 25 USDC that was asked for. Ask Ada Ltd about the difference.',
  ],
  [
    'the second payment is held, after the first was accepted',
    said(of('all', 'in_time', 'delivered'), {
      payments: [
        paymentOf(of('all', 'in_time', 'delivered')),
        { ...paymentOf(of('all', 'in_time', 'failed')), failureReason: 'provider_blocked' },
      ],
    }),
    'The payment needs attention\nAda Ltd has received your payment of 25 USDC.\nYour payment of 25 USDC on Ethereum arrived. The payment provider holds it for a check. Ada Ltd was notified.\nAsk Ada Ltd before you send anything else.',
  ],
  [
    'a part was delivered, and the rest is held: the rest is not asked for again',
    said(of('part', 'in_time', 'delivered'), {
      payments: [
        paymentOf(of('part', 'in_time', 'delivered')),
        { ...paymentOf(of('part', 'in_time', 'failed')), amount: '15' },
      ],
    }),
    'The payment needs attention\nYour payment of 15 USDC on Ethereum arrived, but could not be delivered. The payment provider holds it. Ada Ltd was notified.\nReceived in time: 10 USDC of 25 USDC.\nAsk Ada Ltd before you send anything else.',
  ],
  [
    'paid by another session',
    said(of('nothing', 'cancelled', 'none'), {}, { linkStatus: 'paid', payable: false }),
    'Cancelled\nThis was paid with another payment. Do not send anything to the old address.\nThis page does not accept payments any more. Ask Ada Ltd for a new one.',
  ],
  [
    'for longer than usual',
    said(of('all_confirming', 'in_time', 'pending'), {
      payments: [{ ...paymentOf(of('all_confirming', 'in_time', 'pending')), receivedAt: '2026-01-31T11:34:59.000Z' }],
    }),
    'Payment received\nYour payment of 25 USDC has arrived and is being confirmed.\nConfirming it takes longer than usual. Keep the transaction number below, and do not send it again. If nothing has changed in an hour, give Ada Ltd the number.\nYou’re all set.',
  ],
  [
    'a refund that the payment service has passed on',
    said(of('all', 'in_time', 'returning'), {
      payments: [{ ...paymentOf(of('all', 'in_time', 'returning')), settled: true }],
    }),
    'Payment returned\nYour payment of 25 USDC on Ethereum could not be accepted and was sent back. Network fees may have been deducted.\nThe payment service has passed it on. Ask Ada Ltd where it went.\nStart again to get a new amount and address.',
  ],
])('%s', (_name, { text }, expected) => {
  expect(text).toBe(expected)
})

test('amounts have the separators of the language and lose no digit', () => {
  const amount = '1234567.123456789012345678'
  expect(amountIn('en', amount)).toBe('1,234,567.123456789012345678')
  expect(amountIn('pt', amount)).toBe('1.234.567,123456789012345678')
  expect(amountIn('ar', amount)).toBe('1,234,567.123456789012345678')
  expect(moneyIn('en', '0', 'PEPE')).toBe('0 PEPE')
  expect(decimalOf(unitsOf('12.50'))).toBe('12.5')
  expect(decimalOf(unitsOf('no number'))).toBe('0')
})

test('of a part that the provider will send back, nothing is said to be left to pay', () => {
  const of = { what: 'part_confirming', when: 'in_time', outcome: 'pending' } as const
  const { text } = said(of, {}, { refundRequired: true })
  expect(text).toContain('This is less than 25 USDC, so it will be sent back.')
  expect(text).not.toContain('left to pay')
})

test('who paid what had been paid already is told so, with the amount', () => {
  const of = { what: 'too_much', when: 'in_time', outcome: 'delivered' } as const
  const { text } = said(of, { receivedAmount: '25', paidOver: true, paidTwice: true })
  expect(text).toContain('This had already been paid with another payment. Ask Ada Ltd about the 25 USDC.')
})

test('an excess that the provider cannot send back is not said to have been sent back', () => {
  const of = { what: 'too_much', when: 'in_time', outcome: 'returned' } as const
  const payments = sessionOf(of).payments.map((payment) => ({
    ...{ ...payment, status: 'completed', amount: '25.2', creditedAmount: '25.2', returnFailed: true },
  }))
  const { text } = said(of, { payments, status: 'paid', receivedAmount: '25.2' })
  expect(text).toContain('You sent 0.2 USDC more than the 25 USDC that was asked for.')
  expect(text).toContain('could not send it back')
  expect(text).not.toContain('was sent back')
})

test('no sentence names a currency without its amount', () => {
  const of = { what: 'part', when: 'in_time', outcome: 'unconfirmed' } as const
  const payments = sessionOf(of).payments.map((payment) => ({ ...payment, amount: '0', creditedAmount: '0' }))
  expect(said(of, { payments }).text).toContain(
    'Your payment of an unknown amount of USDC on Ethereum was not confirmed',
  )
})

test('no text says that money on another network can be found', () => {
  for (const locale of locales) expect(texts[locale].wrongNetwork).not.toMatch(/most of it|Meist lässt/)
})

describe('a bank transfer', () => {
  const transfer = {
    method: 'bank_transfer',
    pricing: { amount: '15000', currency: 'NGN', rate: '600' },
    bankAccount: {
      bankName: 'Access Bank',
      accountNumber: '9012345678',
      accountName: 'Sandbox Payments',
      amount: '15000',
      currency: 'NGN',
      reference: 'SBX-31',
      expiresAt: '2026-01-31T12:15:00.000Z',
    },
  } as const
  const sent = (of: Case, amount: string, creditedAmount: string) => ({
    ...paymentOf(of),
    method: 'bank_transfer' as const,
    networkKey: null,
    currency: 'NGN',
    amount,
    creditedAmount,
    refundTo: null,
  })
  const paid = (of: Case, amount = '15000', credited = '25') =>
    said(of, { ...transfer, bankAccount: null, payments: [sent(of, amount, credited)] }, { restByTransfer: true }).text

  test('is asked for in naira, in one transfer, until the time ends', () => {
    expect(said(of('nothing', 'in_time', 'none'), transfer).text).toBe(
      'Send NGN 15,000.00\nMake one transfer of exactly this amount to this account by 31 Jan 2026, 12:15 UTC.',
    )
  })

  test('of a part leaves the rest to pay, in naira, to a new account', () => {
    expect(paid(of('part', 'in_time', 'delivered'), '6000', '10')).toBe(
      'NGN 9,000.00 left to pay\nAda Ltd has received NGN 6,000.00 of NGN 15,000.00.\nGet a new account for NGN 9,000.00, and make one transfer of the amount that it says by 31 Jan 2026, 12:15 UTC: the old account takes no second transfer.',
    )
  })

  test('of a part leaves the rest to pay in stablecoin where no account can be had for it, as after the end', () => {
    const which = of('part', 'grace', 'delivered')
    const payments = [sent(which, '6000', '10')]
    expect(said(which, { ...transfer, bankAccount: null, payments }, { restByTransfer: true }).text).toBe(
      '15 USDC left to pay\nAda Ltd has received 10 USDC of 25 USDC.\nThe payment has expired, but the rest is still accepted.\nSend 15 USDC on Ethereum to the same address by 31 Jan 2026, 13:15 UTC.',
    )
  })

  test.each<[Case, RegExp]>([
    [of('all_confirming', 'in_time', 'pending'), /Your payment of NGN 15,000.00 has arrived and is being confirmed/],
    [of('all', 'in_time', 'delivered'), /^Paid\nAda Ltd has received your payment of NGN 15,000.00\.$/],
    [of('all', 'late', 'delivered'), /Your bank transfer of NGN 15,000.00 arrived too late/],
    [
      of('all', 'cancelled', 'delivered'),
      /Your bank transfer of NGN 15,000.00 arrived after this payment was cancelled/,
    ],
    [of('all', 'in_time', 'returned'), /NGN 15,000.00 could not be accepted and was sent back to your bank account/],
    [of('all', 'in_time', 'failed'), /Your bank transfer of NGN 15,000.00 arrived, but could not be delivered/],
    [of('all', 'in_time', 'unconfirmed'), /Your bank transfer did not arrive, so nothing was received/],
    [of('nothing', 'grace', 'none'), /Do not transfer anything to the old account/],
  ])('is spoken of as one: %o', (which, expected) => {
    const text = which.what === 'nothing' ? said(which, transfer).text : paid(which)
    expect(text).toMatch(expected)
    expect(text).not.toMatch(/wallet|network|old address/)
  })

  const inDollars = {
    ...transfer,
    pricing: { amount: '25', currency: 'USD', rate: '1' },
    bankAccount: { ...transfer.bankAccount, amount: '39705.04' as string },
  }

  test.each([
    ['dollars', inDollars, 'US$25.00', 'US$10.00', 'US$15.00'],
    ['stablecoin alone', { ...inDollars, pricing: null }, '25 USDC', '10 USDC', '15 USDC'],
  ])('of a price in %s is asked for in naira, and its parts are of the price', (_name, session, all, part, left) => {
    expect(said(of('nothing', 'in_time', 'none'), session).text).toBe(
      'Send NGN 39,705.04\nMake one transfer of exactly this amount to this account by 31 Jan 2026, 12:15 UTC.',
    )
    const which = of('part', 'in_time', 'delivered')
    const payments = [sent(which, '15882.01', '10')]
    const lacks = (bankAccount: typeof session.bankAccount | null) =>
      said(which, { ...session, bankAccount, payments }, { restByTransfer: true }).text
    expect(lacks(null)).toBe(
      `${left} left to pay\nAda Ltd has received ${part} of ${all}.\nGet a new account for ${left}, and make one transfer of the amount that it says by 31 Jan 2026, 12:15 UTC: the old account takes no second transfer.`,
    )
    expect(lacks({ ...session.bankAccount, amount: '23823.03' })).toBe(
      `NGN 23,823.03 left to pay\nAda Ltd has received ${part} of ${all}.\nMake one transfer of exactly this amount to this account by 31 Jan 2026, 12:15 UTC.`,
    )
  })

  test('shows what was asked for beside the naira, and about how many before there is an account', () => {
    const which = of('nothing', 'in_time', 'none')
    const page = (session: object, more: object = {}) =>
      content({ ...pageOf(which, { ...sessionOf(which), ...session }), ...more }, view).text
    const pricing = { amount: '25', currency: 'USD' }
    expect(page(inDollars, { amount: null, pricing })).toContain('<p class="amount"><bdi>US$25.00</bdi></p>')
    expect(page({ ...inDollars, pricing: null })).toContain('<p class="amount"><bdi>25 USDC</bdi></p>')
    expect(page(transfer, { amount: null, pricing: { amount: '15000', currency: 'NGN' } })).not.toContain(
      '<p class="amount">',
    )
    const bankTransfer = {
      currency: 'NGN',
      minAmount: '500',
      estimatedAmount: '39506.25',
      refundAccountRequired: false,
      banks: [],
    }
    const about = 'about <bdi>NGN\u00a039,506.25</bdi> plus fees; you see the exact amount before you transfer'
    const start = { session: null, type: 'link', amount: null, pricing, bankTransfer }
    expect(page({}, start)).toContain(about)
    expect(page({}, start).indexOf('value="USDC"')).toBeLessThan(page({}, start).indexOf('value="NGN"'))
    expect(page({ pricing: { ...pricing, rate: '1' } }, { bankTransfer, pricing })).toContain(about)
    // A price in naira is exact, and what is transferred comes first.
    const naira = { ...start, pricing: { amount: '39506.25', currency: 'NGN' } }
    expect(page({}, naira)).not.toContain('you see the exact amount')
    expect(page({}, naira).indexOf('value="NGN"')).toBeLessThan(page({}, naira).indexOf('value="USDC"'))
  })

  test('is shown with its account and, below it, with the address for stablecoin', () => {
    const which = of('nothing', 'in_time', 'none')
    const page = content(pageOf(which, { ...sessionOf(which), ...transfer }), view).text
    for (const shown of ['9012345678', 'Access Bank', 'Sandbox Payments', 'SBX-31', 'data-copied="15000"'])
      expect(page).toContain(shown)
    expect(page.match(/id="time-left"/g)).toHaveLength(1)
    expect(page).toContain('<details><summary>Pay with stablecoin instead</summary>')
    expect(page).toContain('<bdi>25 USDC</bdi>')
  })
})
