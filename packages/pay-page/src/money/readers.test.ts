import { describe, expect, test } from 'vitest'
import { type Case, cases, dataOf, paymentOf, sessionOf } from '../../test/situations.ts'
import type { Payment } from '../data.ts'
import { fillPlain } from '../html/fill.ts'
import { texts } from '../texts.ts'
import { type Claims, claimsOf } from './claims.ts'
import { moneyOf } from './facts.ts'
import { readingOf } from './readers.ts'
import type { MoneyData } from './situation.ts'

const networks = { ethereum: { name: 'Ethereum', type: 'evm' } } as const
const english = { locale: 'en', networks, texts: texts.en } as const
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

/** Every situation, and those that differ by what happened to its payment. */
const variants: readonly (readonly [name: string, more: Partial<Payment>, session: object, data: object])[] = [
  ['', {}, {}, {}],
  ['of a merchant who refuses parts', {}, {}, { refundRequired: true }],
  ['whose refund goes to the merchant', { refundTo: { address: '0xA1', owner: 'organisation' } }, {}, {}],
  ['by bank transfer', { method: 'bank_transfer', networkKey: null, currency: 'NGN', amount: '40000' }, {}, {}],
  ['under review', { failureReason: 'provider_blocked' }, {}, {}],
  ['that counts', { counts: true }, {}, {}],
]

function told(of: Case, [, more, session, data]: (typeof variants)[number]) {
  const payment = { ...paymentOf(of), ...(of.outcome === 'unconfirmed' || of.outcome === 'returning' ? {} : more) }
  const payments = of.what === 'nothing' ? [] : [payment]
  const all: MoneyData = { ...dataOf(of, { ...sessionOf(of), payments, ...session }), ...data }
  const said = moneyOf(all, english)
  const reading = readingOf(all, english)
  const payer = [said.heading, ...said.texts].map((name) => fillPlain(texts.en[name], said.values)).join('\n')
  return {
    claims: claimsOf(said),
    reading,
    readers: {
      payer: plain(payer),
      merchant: plain(`${reading.merchant.heading}\n${reading.merchant.text}`),
      operator: plain(`${reading.operator.heading}\n${reading.operator.text}`),
    },
  }
}

/** What a sentence says of who has the money that it is about. A reader who is told of two holders is told two stories. */
const HOLDERS: readonly (readonly [Claims['holder'], RegExp])[] = [
  ['service', /came back to (us|the payment service|this service)/],
  ['provider', /provider holds it|on hold at the provider/],
  ['network', /being confirmed/],
  ['nobody', /nothing was received|[Nn]othing (has )?arrived|Send 25 USDC\b|^Expired|payment has expired\nDo not send/],
  ['payer', /sent back (to the payer|to your bank account)|went to your address/],
  [
    'merchant',
    /sent back to (you|the merchant)|went to Ada Ltd|Ada Ltd has received|less was delivered to Ada Ltd|(You have|The merchant has) received/,
  ],
  ['nobody', /^(Cancelled|Withdrawn|Not available)\n/],
]
/** Sentences about money that came before the one of the situation, or goes elsewhere. */
const ASIDE =
  /Received (in time|so far): .*|(Ada Ltd has|You have) received (your payment of )?[\d.]+ USDC\.(?=[\s\S]*sent back|[\s\S]*came back|[\s\S]*holds it|[\s\S]*on hold)/g

function holderIn(text: string): string {
  const about = text.replace(ASIDE, '')
  return HOLDERS.find(([, says]) => says.test(about))?.[0] ?? 'unsaid'
}

/** Who acts next, where a sentence says it. */
const ACTORS: readonly (readonly [Claims['next'], RegExp])[] = [
  ['service', /[Ww]e are (working on|checking) it|we send it on|passes it on|is checking it|then settle/],
  ['network', /This takes|longer than usual|Nothing to do|being confirmed/],
  [
    'payer',
    /The payer (can|was asked)|Send (it|\d)|Start again|Make one transfer|still counts|counts if it arrives|left to pay/,
  ],
  ['merchant', /Count it as paid|Refund the|Accept it as paid|merchant decides|Ask Ada Ltd/],
]
const actorIn = (text: string): string | undefined => ACTORS.find(([, says]) => says.test(text))?.[0]
const timesIn = (text: string): string[] => [...new Set(text.match(/\d\d:\d\d(?= UTC)/g) ?? [])]

/** A bank transfer is always what was asked for. */
const variantsOf = ({ what }: Case) =>
  variants.filter(([name]) => name !== 'by bank transfer' || !what.startsWith('other'))

const named = cases.map((of) => [`${of.what} ${of.when} ${of.outcome}`, of] as const)

describe.each(named)('%s', (_name, of) => {
  const all = variantsOf(of).map((variant) => [variant[0], told(of, variant)] as const)

  test('payer, merchant and operator read that the same one has the money', () => {
    for (const [variant, { claims, readers }] of all)
      for (const [reader, text] of Object.entries(readers))
        expect([variant, reader, holderIn(text), text]).toEqual([variant, reader, claims.holder, text])
  })

  test('no two readers are told that different ones act next', () => {
    for (const [variant, { claims, readers }] of all) {
      for (const [reader, text] of Object.entries(readers)) {
        const actor = actorIn(text)
        // Payers are told whom to ask, which is not who acts on the money.
        if (!actor || (reader === 'payer' && (actor === 'merchant' || claims.next === 'service'))) continue
        expect([variant, reader, actor, text]).toEqual([variant, reader, claims.next, text])
      }
      if (claims.next === 'merchant') expect([variant, actorIn(readers.merchant)]).toEqual([variant, 'merchant'])
      if (claims.next === 'service') expect(readers.merchant).toContain('need not do anything')
    }
  })

  test('every time that is named is the time until which a payment counts', () => {
    for (const [variant, { claims, readers }] of all) {
      const until = claims.until?.slice(11, 16)
      for (const text of Object.values(readers))
        for (const time of timesIn(text)) expect([variant, time, text]).toEqual([variant, until ?? time, text])
      if (until && of.outcome !== 'none')
        expect([variant, readers.merchant, timesIn(readers.merchant)]).toEqual([variant, readers.merchant, [until]])
    }
  })

  test('merchant and operator read full sentences with an amount', () => {
    for (const [, { reading }] of all)
      for (const { heading, text } of [reading.merchant, reading.operator]) {
        expect(text).toMatch(/^[A-Z\d][^{}]*\.$/)
        expect(text).not.toMatch(/undefined|NaN\b|\s\s/)
        expect(heading).not.toMatch(/[{}]|\.$/)
        if (of.what !== 'nothing' && of.what !== 'unknown_confirming')
          expect(plain(text)).toMatch(/\d (USDC|USDT)|NGN \d/)
      }
  })
})
