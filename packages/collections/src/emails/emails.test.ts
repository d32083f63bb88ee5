import { locales } from '@payments/pay-page'
import { afterAll, describe, expect, test } from 'vitest'
import { advance, newCollection, newMerchant, paySession, startMailbox, startSession, useService } from '#testing'
import { getSession, settle } from '../../test/sessions.ts'
import { applyDue } from '../collections/expiry.ts'
import type { StoredPayment } from '../rows.ts'
import { type PayerFacts, payerTexts } from './email-texts.ts'
import { payerEmailOf } from './emails.ts'

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
      await paySession(merchant, session.id, payment)
      await settle(service)
      // The worker may have been faster, and not have finished yet.
      const last = async () => (await getSession(merchant, session.id)).payments.at(-1)
      await expect.poll(async () => (await last())?.status).not.toBe('pending')
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
    expect(text).toContain('You sent 25 USDT on Ethereum. 25 USDC on Ethereum were asked for.')
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
    expect(text).toContain('do not pay again before you have an answer')
    expect(text).toContain(hash)
  })

  test('that a payment came after the end, and that a second one came when it was paid', async () => {
    const late = await begin()
    await advance(late.merchant, 80 * 60)
    await applyDue(service.runtime, new AbortController().signal)
    expect(await late.pay()).toMatchObject({ status: 'expired' })
    expect(await late.email()).toMatch(/^Subject: .*Payment after the end: Consulting/m)

    const twice = await begin()
    await twice.pay()
    expect(await twice.email()).toMatch(/^Subject: .*Receipt: Consulting/m)
    await twice.pay({ amount: '25' })
    expect(await twice.email(1)).toContain('25 USDC on Ethereum arrived although this was paid: Consulting')
  })

  test('that more than was asked for arrived', async () => {
    const { pay, email } = await begin()
    await pay({ amount: '30' })
    expect(await email()).toContain('It is more than the 25 USDC that were asked for.')
  })
})

const payment = (given: Partial<StoredPayment>): StoredPayment =>
  ({ status: 'completed', requested: true, counts: true, late: false, ...given }) as StoredPayment
const LATER = new Date(Date.now() + 60_000)
const BEFORE = new Date(0)

test.each([
  ['a top-up that is still too little', 'underpaid', 'underpaid', LATER, {}, 'missing'],
  ['too little after the end', 'processing', 'underpaid', BEFORE, {}, undefined],
  ['a payment that is not final', 'awaiting_payment', 'processing', LATER, { status: 'pending' }, undefined],
  [
    'a failed one that an operator has settled',
    'failed',
    'failed',
    LATER,
    { status: 'failed', settled: true },
    undefined,
  ],
  ['the second of two that failed', 'paid', 'paid', LATER, { status: 'failed' }, 'failed'],
  ['a late one that was sent back', 'expired', 'expired', BEFORE, { status: 'refunded', counts: false }, 'returned'],
  ['one of a cancelled session', 'cancelled', 'cancelled', BEFORE, { counts: false }, 'late'],
] as const)('%s: from %s to %s', (_name, from, to, endsAt, given, kind) => {
  const changes = [{ before: undefined, after: payment(given) }]
  expect(payerEmailOf({ status: from }, { status: to, endsAt }, changes)?.kind).toBe(kind)
  // Told once: the same payment without a new end says nothing.
  const again = [{ before: payment(given), after: payment(given) }]
  expect(payerEmailOf({ status: to }, { status: to, endsAt }, again)).toBeUndefined()
})

test.each(locales)(
  'every email in %s says what was sent, on which network, its transaction, and where its state is',
  (locale) => {
    const facts: PayerFacts = {
      merchant: 'Ada Ltd',
      title: 'Consulting',
      received: '10 USDC',
      amount: '25 USDC',
      missing: '15 USDC',
      network: 'Ethereum',
      address: '0xaddress',
      deadline: 'noon',
      url: 'https://payments.test/pay/1',
      sent: '7 USDT',
      sentOn: 'Tron',
      hash: '0xhash',
      refundTo: { address: '0xrefund', owner: 'payer' },
      over: true,
    }
    const must = {
      receipt: ['10 USDC', '25 USDC'],
      missing: ['10 USDC', '25 USDC', '15 USDC', '0xaddress', 'noon'],
      other: ['7 USDT', 'Tron', '25 USDC', 'Ethereum', '0xhash'],
      late: ['7 USDT', 'Tron', '0xhash'],
      more: ['7 USDT', 'Tron', '0xhash'],
      returned: ['7 USDT', 'Tron', '0xhash', '0xrefund'],
      failed: ['7 USDT', 'Tron', '0xhash'],
    }
    for (const [kind, parts] of Object.entries(must)) {
      const { subject, paragraphs } = payerTexts[locale][kind as keyof typeof must](facts)
      expect(subject).toContain('Consulting')
      expect(paragraphs.at(-1)).toBe(facts.url)
      for (const part of [...parts, 'Ada Ltd', 'Consulting'])
        expect([kind, paragraphs.join('\n')]).toEqual([kind, expect.stringContaining(part)])
    }
  },
)
