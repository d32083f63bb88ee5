import { type Claims, claimsOf } from './claims.ts'
import { moneyOf, type Said, type Wording } from './facts.ts'
import type { MoneyData, Situation } from './situation.ts'

// What merchants and operators are told of the situations of the table, in English: the amount, who has the money, what happens next and whether
// the reader must do anything. Every outcome has a sentence for each of them; one that is missing does not compile.

/** A line that says it in short, and the sentences. */
export interface Told {
  readonly heading: string
  readonly text: string
}

/** A situation as merchants and operators read it, with what every reader is told alike. */
export interface Reading {
  readonly situation: Situation
  /** What was sent with the payment that it is about; empty where there is none. */
  readonly sent: string
  readonly claims: Claims
  readonly merchant: Told
  readonly operator: Told
}

/** @param about the payment that a message is about: without it, the one that matters most */
export function readingOf(data: MoneyData, wording: Wording, about?: Situation['focus']): Reading {
  // Merchants reckon in the currency of the session, however its payer pays.
  const said = moneyOf({ ...data, session: { ...data.session, method: 'onchain' } }, wording, about)
  const claims = claimsOf(said)
  const { outcome } = said.situation
  const money = { ...said, claims }
  return {
    situation: said.situation,
    sent: said.values.sent.replaceAll('\u00a0', ' '),
    claims,
    merchant: merchant[outcome](money),
    operator: operator[outcome](money),
  }
}

type Money = Said & { readonly claims: Claims }
type Sentences = { readonly [O in Situation['outcome']]: (money: Money) => Told }

/** An amount that is not known is words: they begin a sentence like any other. Clients that compare texts expect plain spaces. */
const sentence = (text: string): string => (text.charAt(0).toUpperCase() + text.slice(1)).replaceAll('\u00a0', ' ')

const told = (heading: string, ...says: readonly (string | false)[]): Told => ({
  heading: sentence(heading),
  text: says.flatMap((each) => (each ? [sentence(each)] : [])).join(' '),
})

/** What was sent, and how. */
const sentOf = ({ values: { sent, sentOn } }: Money): string =>
  sentOn ? `${sent} on ${sentOn}` : `${sent} by bank transfer`

/** What counts already, where that is not what the sentence is about. */
const soFar = ({ facts: { before, paid }, values: { received, asked } }: Money): string | false =>
  before && !paid && `Received so far: ${received} of ${asked}.`

/** What the payer may still do, for whoever waits for it. */
const payersTurn = ({ step, values: { left, until } }: Money): string | false =>
  step === 'rest'
    ? `The payer can send the remaining ${left} by ${until}.`
    : step === 'again' && 'The payer can pay again.'

/** What follows for money that does not count by itself. */
const DECIDED = {
  open: 'Count it as paid, send it back or keep it.',
  counted: 'You counted it as paid.',
  sent_back: 'You noted that you sent it back.',
  kept: 'You decided to keep it.',
} as const

const merchant: Sentences = {
  none({ situation: { when }, facts: { paidElsewhere }, values: { asked, network, until } }) {
    switch (when) {
      case 'in_time':
        return told('Waiting for the payer', `${asked} on ${network} is due by ${until}. Nothing has arrived yet.`)
      case 'grace':
        return told('Expired', `Nothing has arrived. A payment that arrives by ${until} still counts.`)
      case 'late':
        return told('Expired', 'Nothing arrived in time. The payer can start again.')
      case 'cancelled':
        return paidElsewhere
          ? told('Paid with another payment', 'Nothing arrived here. The payer paid with another payment.')
          : told('Cancelled', 'Nothing has arrived. The payer can start again.')
      case 'void':
        return told('Withdrawn', 'You withdrew this request for payment. Nothing has arrived.')
      default:
        return told('Payments are paused', 'Nothing has arrived. Your account is suspended, so nobody can pay now.')
    }
  },
  pending(money) {
    const { situation, facts, values } = money
    const heading = 'Payment being confirmed'
    const slow = facts.slow && 'This takes longer than usual.'
    const nothingToDo = 'You need not do anything.'
    if (situation.what === 'unknown_confirming')
      return told(
        heading,
        'A payment has arrived and is being confirmed. Its amount is not known yet.',
        slow,
        nothingToDo,
      )
    const arrived = `${situation.what === 'other_confirming' ? sentOf(money) : values.pending} has arrived and is being confirmed.`
    const { asked, network, pendingLeft, until } = values
    if (situation.what === 'other_confirming')
      return told(heading, arrived, `It will not count: ${asked} on ${network} was asked for.`, slow, nothingToDo)
    if (!facts.counts) return told(heading, arrived, 'It came too late to count as paid.', slow, nothingToDo)
    const rest =
      situation.what === 'part_confirming' &&
      (facts.strict && !facts.before
        ? `It is less than ${asked}, so it will be sent back.`
        : situation.when === 'in_time' || situation.when === 'grace'
          ? `${pendingLeft} of ${asked} will be left to pay by ${until}.`
          : `${asked} was asked for.`)
    return told(heading, arrived, rest, slow, nothingToDo)
  },
  delivered(money) {
    const { situation, facts, values } = money
    const { received, asked, left, over, network } = values
    const decide = DECIDED[facts.decided ?? 'open']
    if (facts.decided === 'counted') return told('Paid', `You have received ${received}.`, decide)
    if (situation.what === 'other')
      return told(
        `${values.sent} that was not asked for`,
        `You have received ${sentOf(money)}, but ${asked} on ${network} was asked for, so it does not count as paid.`,
        soFar(money),
        decide,
      )
    if (facts.paid) {
      const has = `You have received ${received}.`
      if (facts.paidTwice)
        return told('Paid twice', has, 'This had already been paid with another payment. Refund the payer, or keep it.')
      if (situation.what !== 'too_much')
        return told(
          'Paid',
          has,
          facts.late && 'It came after the deadline, within the grace time.',
          situation.when === 'void' && 'You had withdrawn this request. Refund the payer, or keep it.',
        )
      return told(
        `Overpaid by ${over}`,
        has,
        facts.excessLost
          ? `The payer sent ${over} too much, which the provider could not send back: it is less than the fees.`
          : `That is ${over} more than the ${asked} that was asked for. Refund the difference, or keep it.`,
      )
    }
    if (!facts.counts)
      return told(
        `${values.sent} arrived too late`,
        `You have received ${sentOf(money)} after ${facts.cancelled ? 'this payment was cancelled' : 'the deadline'}, so it does not count as paid.`,
        soFar(money),
        decide,
      )
    const turn = payersTurn(money)
    return told(
      money.step === 'rest' ? `${left} left to pay` : `Underpaid by ${left}`,
      `You have received ${received} of ${asked}.`,
      turn || `The rest, ${left}, was not paid. Accept it as paid, or refund the payer.`,
    )
  },
  returned(money) {
    const { situation, facts, values } = money
    const to = sentTo(money, 'you')
    if (facts.paid)
      return told(
        'Paid',
        `You have received ${values.received}.`,
        situation.what === 'too_much' && facts.excessReturned
          ? `The payer sent ${values.over} too much. It was sent back${to}.`
          : `A further payment of ${sentOf(money)} was sent back${to}.`,
      )
    return told(
      `${values.sent} was sent back`,
      `${sentOf(money)} could not be accepted and was sent back${to}.`,
      facts.refundOwner === 'organisation' && 'The payer may ask you for it.',
      situation.what === 'part' && facts.strict && !facts.before && `Less than ${values.asked} is not accepted.`,
      soFar(money),
      payersTurn(money),
    )
  },
  returning: (money) =>
    told(
      `${money.values.sent} is on its way back`,
      `${sentOf(money)} could not be accepted. It came back to us, at ${money.values.refundAddress}, and we send it on.`,
      soFar(money),
      'You need not do anything.',
    ),
  failed(money) {
    const { facts, values } = money
    return facts.short
      ? told(
          'Less arrived than promised',
          `You have received less of a payment of ${values.sent} than the provider promised. We are checking it; you need not do anything.`,
        )
      : told(
          `${values.sent} is on hold`,
          `${sentOf(money)} is on hold at the provider${facts.review ? ' for a compliance check' : ''}. We are working on it; you need not do anything.`,
          soFar(money),
        )
  },
  unconfirmed: (money) =>
    told(
      `${money.values.sent} was not confirmed`,
      `${sentOf(money)} was not confirmed${money.values.sentOn ? ' by its network' : ''}, so nothing was received. If it is confirmed later, you are told.`,
      soFar(money),
      payersTurn(money),
    ),
}

/** To whom a payment was sent back. @param organisation what the reader calls the merchant */
function sentTo({ facts: { refundOwner }, values: { refundAddress } }: Money, organisation: string): string {
  if (refundOwner === 'payer') return ` to the payer, at ${refundAddress}`
  if (refundOwner === 'organisation') return ` to ${organisation}, at ${refundAddress}`
  return refundOwner === 'service' ? ', and we have sent it on' : ''
}

const operator: Sentences = {
  none: ({ claims: { next }, values: { asked, until } }) =>
    told('No money', 'Nothing has arrived.', next === 'payer' && `The payer was asked for ${asked} by ${until}.`),
  pending: (money) =>
    told(
      'Being confirmed',
      `${money.situation.what === 'unknown_confirming' ? 'A payment' : money.values.pending} is being confirmed.`,
      money.facts.slow ? 'This takes longer than usual: ask the provider.' : 'Nothing to do.',
    ),
  delivered({ situation: { what }, facts, values, claims: { next } }) {
    // Money that was not asked for is beside what is paid.
    const isPaid = facts.paid && what !== 'other'
    const has = isPaid || facts.counts ? values.received : values.sent
    return told(
      isPaid ? 'Paid' : 'Delivered',
      `The merchant has received ${has}${isPaid ? '' : ` where ${values.asked} was asked for`}.`,
      next === 'merchant' && 'The merchant decides about it.',
      next === 'payer' && `The payer can send the remaining ${values.left} by ${values.until}.`,
    )
  },
  returned(money) {
    const rest = payersTurn(money)
    return told(
      'Sent back',
      `${money.facts.excessReturned ? money.values.over : money.values.sent} was sent back${sentTo(money, 'the merchant')}.`,
      rest,
    )
  },
  returning: (money) =>
    told(
      `${money.values.sent} came back to us`,
      `${sentOf(money)} came back to this service, at ${money.values.refundAddress}. Send it on to the payer, then settle the payment as refunded.`,
    ),
  failed: (money) =>
    money.facts.short
      ? told(
          'Less delivered than promised',
          `The merchant has received less of a payment of ${money.values.sent} than the provider promised. Ask the provider, then settle the payment.`,
        )
      : told(
          `${money.values.sent} is on hold`,
          `${sentOf(money)} is on hold at the provider${money.facts.review ? ' for a compliance check' : ''}: it is neither delivered nor sent back. Ask the provider, then settle the payment.`,
        ),
  unconfirmed: (money) =>
    told(
      `${money.values.sent} was not confirmed`,
      `${sentOf(money)} was not confirmed by its network, so nothing was received.`,
      payersTurn(money),
    ),
}
