import { designedEmail } from '@payments/accounts'
import { brandFrom } from '@payments/branding'
import { assetNamed, explorers, toMinor } from '@payments/kernel'
import { contrast, locales } from '@payments/pay-page'
import { afterAll, describe, expect, test } from 'vitest'
import { act, advance, newCollection, newMerchant, paySession, startMailbox, startSession, useService } from '#testing'
import { getSession, settle } from '../../test/sessions.ts'
import { priced, settleTransfers, transfer } from '../../test/transfers.ts'
import { applyDue } from '../collections/expiry.ts'
import type { SessionRow } from '../entity.ts'
import type { StoredPayment } from '../terms/rows.ts'
import { payerEmailOf, writeEmail } from './emails.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

type Payment = NonNullable<Parameters<typeof paySession>[2]>

/** A session of 25 USDC on Ethereum of a payer who gave an address, and the emails that this payer gets, as text. */
async function begin(start: Record<string, unknown> = {}) {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant, { title: 'Consulting' })
  const to = `${collection.id}@example.com`
  const session = await startSession(service, collection.id, { payerEmail: to, ...start })
  return {
    merchant,
    async pay(payment: Payment = {}) {
      const { payments: before } = await getSession(merchant, session.id)
      await paySession(merchant, session.id, payment)
      await settle(service, merchant)
      // The worker may have been faster, and not have finished yet.
      const last = async () => (await getSession(merchant, session.id)).payments[before.length]
      await expect
        .poll(async () => (await last())?.status, { timeout: 10_000 })
        .toMatch(/^(completed|failed|refunded)$/)
      const { status } = await getSession(merchant, session.id)
      return { hash: (await last()).txHash as string, status }
    },
    async email(number = 0): Promise<string> {
      const { raw } = await mailbox.emailTo(to, number)
      return raw.replaceAll(/=\r?\n/g, '').replaceAll(/\r?\n /g, ' ')
    },
    count: () => mailbox.emails.filter((each) => each.to === to).length,
  }
}

describe('a payer who gave an address is told', () => {
  test('that another currency arrived, where it went, and that it does not count: never that everything is missing', async () => {
    const { pay, email, count } = await begin()
    const { hash } = await pay({ currency: 'USDT', amount: '25' })
    const text = await email()
    expect(text).toMatch(/^Subject: .*Another currency or network arrived: Consulting/m)
    expect(text).toContain('but cannot be matched to this order automatically: 25 USDC on Ethereum was asked for.')
    expect(text).toContain('before you send anything else')
    expect(text).toContain(hash)
    expect(count()).toBe(1)
  })

  test('that a payment was sent back, and to whose address', async () => {
    const refundAddress = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
    const { pay, email } = await begin({ refundAddress })
    expect(await pay({ outcome: 'refunded' })).toMatchObject({ status: 'returned' })
    const text = await email()
    expect(text).toMatch(/^Subject: .*Payment returned: Consulting/m)
    expect(text).toContain(`It went to your address ${refundAddress}.`)
  })

  test('that a payment arrived and could not be delivered, with its transaction', async () => {
    const { pay, email } = await begin()
    const { hash, status } = await pay({ outcome: 'failed' })
    expect(status).toBe('failed')
    const text = await email()
    expect(text).toMatch(/^Subject: .*The payment needs attention: Consulting/m)
    expect(text).toContain('before you send anything else')
    expect(text).toContain(hash)
  })

  test('that a payment came after the end, and that a second one came when it was paid', async () => {
    const late = await begin()
    await advance(late.merchant, 80 * 60)
    await applyDue(service.runtime, new AbortController().signal)
    expect(await late.pay()).toMatchObject({ status: 'expired' })
    expect(await late.email()).toMatch(/^Subject: .*Your payment arrived too late: Consulting/m)

    const twice = await begin()
    await twice.pay()
    expect(await twice.email()).toMatch(/^Subject: .*Receipt: Consulting/m)
    await twice.pay({ amount: '25' })
    expect(await twice.email(1)).toContain('It is 25 USDC more than the 25 USDC that was asked for.')
  })

  test('what is left to pay, in the heading as in the table; and the receipt of two payments names both', async () => {
    const { pay, email } = await begin()
    const first = await pay({ amount: '10' })
    const rest = (await email()).replaceAll('=C2=A0', ' ')
    expect(rest).toMatch(/^Subject: .*Incomplete payment: Consulting/m)
    expect(rest).toContain('15 USDC left to pay')
    expect(rest).toMatch(/Amount: 15 USDC/)
    expect(rest).not.toMatch(/Amount: 10 USDC/)
    const second = await pay()
    const receipt = (await email(1)).replaceAll('=C2=A0', ' ').replaceAll('=C2=B7', '·')
    expect(receipt).toMatch(/Amount: 25 USDC/)
    expect(receipt).toContain(`10 USDC · Ethereum · ${first.hash}`)
    expect(receipt).toContain(`15 USDC · Ethereum · ${second.hash}`)
  })

  test('of a bank transfer what it was in naira, and what of the price is left or paid', async () => {
    const merchant = await newMerchant(service)
    const { id } = await newCollection(merchant, { ...priced, pricing: { currency: 'USD', amount: '25' } })
    const to = `${id}@example.com`
    const { body } = await act(service, id, { action: 'start', method: 'bank_transfer', payerEmail: to })
    const text = async (number: number) =>
      (await mailbox.emailTo(to, number)).raw
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/\r?\n /g, ' ')
        .replaceAll('=C2=A0', ' ')
    const { amount } = body.data.bankAccount
    await transfer(merchant, body.data.id, { amount: '15881.92' })
    await settleTransfers(service, merchant)
    const rest = await text(0)
    expect(rest).toContain('US$15.00 left to pay')
    expect(rest).toContain('Get a new account for US$15.00')
    expect(rest).toContain('NGN 15,881.92')
    const { data } = (await act(service, body.data.id, { action: 'start', method: 'bank_transfer' })).body
    await transfer(merchant, data.id)
    await settleTransfers(service, merchant)
    const paid = await text(1)
    const naira = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'NGN' }).format(data.bankAccount.amount)
    expect(paid).toContain('has received your payment of US$25.00.')
    expect(paid).toContain(`Bank transfer: ${naira.replaceAll('\u00a0', ' ')}`)
    // Both transfers are what was asked for at first; each is rounded up to the kobo.
    const kobo = (text: string) => toMinor(text, assetNamed('NGN'))
    const more = kobo('15881.92') + kobo(data.bankAccount.amount) - kobo(amount)
    expect(more >= -1n && more <= 2n).toBe(true)
  })

  test('that more than was asked for arrived', async () => {
    const { pay, email } = await begin()
    await pay({ amount: '30' })
    expect(await email()).toContain('It is 5 USDC more than the 25 USDC that was asked for.')
  })
})

const payment = (given: Partial<StoredPayment>): StoredPayment =>
  ({
    id: 'one',
    status: 'completed',
    requested: true,
    counts: true,
    late: false,
    settled: false,
    ...given,
  }) as StoredPayment

test.each([
  ['paid', 'processing', 'paid', {}, 'paid'],
  ['a top-up that is still too little', 'underpaid', 'underpaid', {}, 'one'],
  ['too little after the end', 'processing', 'underpaid', {}, 'one'],
  ['a part, while another payment is on its way', 'processing', 'processing', {}, undefined],
  ['a payment that is not final', 'awaiting_payment', 'processing', { status: 'pending' }, undefined],
  ['a failed one that an operator has settled', 'failed', 'failed', { status: 'failed', settled: true }, undefined],
  [
    'one that was never received, as an operator says',
    'failed',
    'failed',
    { status: 'failed', settled: true, failureReason: 'deposit_not_confirmed' },
    'one',
  ],
  ['the second of two that failed', 'paid', 'paid', { status: 'failed' }, 'one'],
  ['a late one that was sent back', 'expired', 'expired', { status: 'refunded', counts: false }, 'one'],
  ['one of a cancelled session', 'cancelled', 'cancelled', { counts: false }, 'one'],
] as const)('%s: from %s to %s', (_name, from, to, given, about) => {
  const told = (before: StoredPayment | undefined, status: string = from) =>
    payerEmailOf({ status }, { status: to }, [{ before, after: payment(given) }])
  const expected = about === undefined ? undefined : { payment: about === 'paid' ? undefined : payment(given) }
  expect(told(undefined)).toEqual(expected)
  // Told once: the same payment without a new end says nothing.
  expect(told(payment(given), to)).toBeUndefined()
})

test('that the payment service has passed on a refund is told too', () => {
  const held = payment({ status: 'refunded', refundTo: { address: '0x', owner: 'service' } })
  const change = { before: held, after: { ...held, settled: true } }
  expect(payerEmailOf({ status: 'returned' }, { status: 'returned' }, [change])?.payment).toBe(change.after)
})

const ENDS = new Date('2026-01-31T12:15:00.000Z')
const HASH = `0x${'9c'.repeat(32)}`
const USDC = 1_000_000n

/** A session of 25 USDC to which one payment came. */
function sessionRow(of: Partial<StoredPayment>, more: Partial<SessionRow> = {}): SessionRow {
  const sent = payment({
    networkKey: 'ethereum',
    currency: 'USDC',
    amount: '10000000',
    returned: '0',
    txHash: HASH,
    failureReason: null,
    receivedAt: ENDS.toISOString(),
    refundTo: { address: '0xrefund', owner: 'payer' },
    ...of,
  })
  const received = sent.status === 'completed' && sent.requested ? BigInt(sent.amount) : 0n
  return {
    id: '01936f2a-7c1e-7000-8000-000000000081',
    parentId: '01936f2a-7c1e-7000-8000-000000000080',
    status: 'underpaid',
    title: 'Consulting',
    locale: 'en',
    environment: 'live',
    networkKey: 'ethereum',
    currency: 'USDC',
    destinationCurrency: 'USDC',
    targetAmount: 25n * USDC,
    amount: 25n * USDC,
    receivedAmount: received,
    deliveredAmount: received,
    fees: 0n,
    depositAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    payments: [sent],
    bankAccounts: [],
    paymentPolicy: { mismatch: 'keep', tolerancePercent: 0.5, graceMinutes: 60 },
    paidOver: received > 25n * USDC,
    paidLate: false,
    expiresAt: ENDS,
    endsAt: ENDS,
    createdAt: ENDS,
    updatedAt: ENDS,
    ...more,
  } as SessionRow
}

const IN_TIME = new Date('2026-01-31T12:05:00.000Z')
const IN_GRACE = new Date('2026-01-31T12:45:00.000Z')
const LATE = new Date('2026-01-31T14:00:00.000Z')

/** The email about the payment of a session. */
function written(
  session: SessionRow,
  now: Date,
  { suspended = false, status = 'active', receipt = false, timeZone = 'UTC' } = {},
) {
  const merchant = { name: 'Ada Ltd', suspended }
  const url = 'https://payments.test/pay/1'
  const about = { payment: receipt ? undefined : session.payments[0] }
  const { email, until, said } = writeEmail(
    { collection: { status, endsAt: null, timeZone }, session, merchant, url },
    about,
    now,
  )
  return { email, until, said, ...designedEmail({ ...email, to: 'payer@example.com' }) }
}

test('times are in the zone of the organisation, with its name, whatever the season', () => {
  const zoned = (timeZone: string) => written(sessionRow({}), IN_TIME, { timeZone }).text
  expect(zoned('Africa/Lagos')).toContain('Pay by: 31 Jan 2026, 13:15 GMT+1')
  expect(zoned('America/New_York')).toContain('to the same address by 31 Jan 2026, 07:15 GMT-5.')
  expect(zoned('Europe/Berlin')).toContain('Pay by: 31 Jan 2026, 13:15 CET')
})

test('a part asks for the rest with its deadline, and the email is not sent after it', () => {
  const inTime = written(sessionRow({}), IN_TIME)
  expect(inTime.subject).toBe('Incomplete payment: Consulting')
  expect(inTime.text).toContain('Send 15 USDC on Ethereum to the same address by 31 Jan 2026, 12:15 UTC.')
  expect(inTime.text).toContain('Pay by: 31 Jan 2026, 12:15 UTC')
  expect(inTime.until).toBe('2026-01-31T12:15:00.000Z')

  const inGrace = written(sessionRow({}, { status: 'expired' }), IN_GRACE)
  expect(inGrace.text).toContain('Pay by: 31 Jan 2026, 13:15 UTC')
  expect(inGrace.until).toBe('2026-01-31T13:15:00.000Z')
})

test.each([
  ['later', written(sessionRow({}, { status: 'expired' }), LATE)],
  ['after it was withdrawn', written(sessionRow({}), IN_TIME, { status: 'void' })],
  ['while the merchant is suspended', written(sessionRow({}), IN_TIME, { suspended: true })],
])('a part asks for nothing %s', (_when, { text, said }) => {
  expect(said.step).toBe('ask')
  expect(text).toContain('Ada Ltd has received 10 USDC of 25 USDC.')
  expect(text).not.toContain('Pay by')
  expect(text).not.toMatch(/Send 15/)
})

test.each([
  ['a receipt', sessionRow({ amount: '25000000' }, { status: 'paid', paidAt: ENDS }), true],
  ['one about more', sessionRow({ amount: '30000000' }, { status: 'paid', paidAt: ENDS }), false],
  ['one about another currency', sessionRow({ currency: 'USDT', requested: false, counts: false }), false],
  ['one about a refund', sessionRow({ status: 'refunded' }, { status: 'returned' }), false],
  ['one about a payment that is held', sessionRow({ status: 'failed' }, { status: 'failed' }), false],
] as const)(
  '%s carries amount, network, transaction, payment number and contact, in every language',
  (_name, session, receipt) => {
    for (const locale of locales) {
      const { email, text, html } = written({ ...session, locale }, IN_TIME, { receipt })
      expect(email.lang).toBe(locale)
      const [sent] = session.payments
      const amount = `${Number(sent?.amount) / 1e6} ${sent?.currency}`
      for (const part of [
        amount,
        'Ethereum',
        HASH,
        session.id,
        'Ada Ltd',
        'Consulting',
        'https://payments.test/pay/1',
        `${explorers.ethereum?.transaction}${HASH}`,
      ]) {
        expect([locale, text]).toEqual([locale, expect.stringContaining(part)])
        expect([locale, html]).toEqual([locale, expect.stringContaining(part)])
      }
      expect([locale, text]).toEqual([locale, expect.not.stringMatching(/[{}]|undefined/)])
    }
  },
)

test('an email of a paid session follows the branding and leads to the receipt: name, colour, where to ask and who is paid', () => {
  const session = sessionRow({ amount: '25000000' }, { status: 'paid', paidAt: ENDS })
  const brand = brandFrom(
    {
      fields: { displayName: 'Ada’s workshop', accentColor: '#ffff00', legalName: 'Ada Workshop Ltd' },
      verifiedDomain: null,
    },
    { supportEmail: 'help@ada.test', supportUrl: 'https://ada.test/help' },
  )
  const merchant = { name: 'Ada Ltd', suspended: false }
  const collection = { status: 'active', endsAt: null, timeZone: 'UTC' }
  const { email } = writeEmail(
    { collection, session, merchant, brand, url: 'https://pay.test/pay/1' },
    { payment: undefined },
    IN_TIME,
  )
  const { text, html, replyTo } = designedEmail({ ...email, to: 'payer@example.com' })
  expect([email.brand, replyTo]).toEqual(['Ada’s workshop', 'help@ada.test'])
  const receipt = 'https://pay.test/pay/1/receipt.pdf?lang=en'
  for (const part of ['help@ada.test', 'https://ada.test/help', 'Ada Workshop Ltd', receipt])
    expect(text).toContain(part)
  const [, background = '', on = ''] = html.match(/a\.button\{background:(#\w+);color:(#\w+)\}/) ?? []
  expect(contrast(background, on)).toBeGreaterThanOrEqual(4.5)
})

test('an email of the sandbox links to no explorer', () => {
  const { text, html } = written(sessionRow({}, { environment: 'test' }), IN_TIME)
  expect(text + html).not.toContain(explorers.ethereum?.transaction)
})

test('a token with a name that its issuer chose makes no link in an email', () => {
  const { text } = written(sessionRow({ currency: 'https://win.test', requested: false, counts: false }), IN_TIME)
  expect(text).not.toContain('https://win.test')
})
