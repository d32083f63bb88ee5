import type { Locale, NetworkType, Payment, PaySession, Texts } from '../data.ts'
import { fillPlain } from '../html/fill.ts'
import { decimalOf, fiatIn, moneyIn, timeIn, unitsOf } from './numbers.ts'
import {
  confirming,
  countedOf,
  type Facts,
  isAccepted,
  isTransfer,
  keptOf,
  type MoneyData,
  type Situation,
  situationOf,
} from './situation.ts'
import { type Cell, type Step, saidOfTransfer, table } from './table.ts'

/** What stands for the placeholders of the texts. */
type Values = Readonly<
  Record<
    | 'merchant'
    | 'network'
    | 'asked'
    | 'received'
    | 'left'
    | 'sent'
    | 'sentOn'
    | 'pending'
    | 'pendingLeft'
    | 'over'
    | 'until'
    | 'refundAddress'
    | 'number',
    string
  >
>

/** How to say it: in which language, and what networks are called. */
export interface Wording {
  readonly locale: Locale
  readonly networks: Readonly<Record<string, { readonly name: string; readonly type: NetworkType }>>
  readonly texts: Pick<Texts, 'unknownAmount'>
  /** IANA name of the zone of the times; UTC without it. */
  readonly timeZone?: string | undefined
}

/** What is said about a session's money: the texts of its cell, what stands in them, and what the payer does next. */
export interface Said {
  readonly situation: Situation
  readonly heading: keyof Texts
  /** The sentences, the next step last. */
  readonly texts: readonly (keyof Texts)[]
  readonly step: Step
  /** The payer is asked for a transfer, if for anything. */
  readonly byTransfer: boolean
  readonly values: Values
  readonly facts: Facts
  /** The times of which the texts speak, as ISO 8601. */
  readonly times: { readonly until: string }
}

/** A payment takes minutes to be confirmed; after this time something holds it up. */
const SLOW_MS = 30 * 60_000

/** What is said about the money of a session. @param about the payment that a message is about: see {@link situationOf} */
export function moneyOf(data: MoneyData, wording: Wording, about = undefined as Situation['focus']): Said {
  const situation = situationOf(data, about)
  const facts = factsOf(data, situation)
  const { heading, says, step: chosen } = cellOf(situation)
  const step = typeof chosen === 'function' ? chosen(facts) : chosen
  const byTransfer =
    data.session.method === 'bank_transfer' &&
    (step !== 'rest' || (data.restByTransfer === true && situation.when === 'in_time'))
  const said = says.flatMap((each) => (typeof each === 'function' ? each(facts) : [each]))
  const isAboutTransfer = situation.focus ? isTransfer(situation.focus) : byTransfer
  const as = (transfer: boolean) => (text: keyof Texts) => (transfer ? saidOfTransfer(text) : text)
  const asked = byTransfer ? data : { ...data, session: { ...data.session, method: 'onchain' as const } }
  return {
    situation,
    heading: typeof heading === 'function' ? heading(facts) : heading,
    texts: [...said.map(as(isAboutTransfer)), ...stepTexts(step, data, byTransfer).map(as(byTransfer))],
    step,
    byTransfer,
    values: valuesOf(asked, situation, wording),
    facts,
    times: { until: untilOf(data.session, situation) },
  }
}

/** Until when a payment counts. */
const untilOf = ({ acceptedUntil, expiresAt }: PaySession, { when }: Pick<Situation, 'when'>): string =>
  when === 'grace' ? acceptedUntil : expiresAt

/** The types of the table allow no other outcome of what arrived. */
function cellOf({ what, when, outcome }: Situation): Cell {
  const cells: Readonly<Partial<Record<string, Cell>>> = table[what][when]
  const cell = cells[outcome]
  if (!cell) throw new Error(`Nothing is said of ${what} ${when} ${outcome}`)
  return cell
}

function stepTexts(
  step: Step,
  { session, payable, refundRequired }: MoneyData,
  byTransfer: boolean,
): readonly (keyof Texts)[] {
  switch (step) {
    case 'pay':
      return ['waitingText', ...(refundRequired ? (['exactOnly'] as const) : [])]
    case 'rest':
      // The account for the rest is shown already.
      return [byTransfer && session.bankAccount ? 'waitingText' : 'restText']
    case 'ask':
    case 'ask_open':
      return ['askText']
    case 'wait':
      return ['waitText']
    case 'again':
      return [payable ? 'againText' : 'closedText']
    default:
      return []
  }
}

function factsOf({ session, linkStatus, refundRequired, serverTime }: MoneyData, { focus }: Situation): Facts {
  const now = Date.parse(serverTime)
  return {
    paid: session.status === 'paid',
    late: session.paidLate,
    cancelled: session.status === 'cancelled',
    paidElsewhere: session.status === 'cancelled' && linkStatus === 'paid',
    counts: (focus?.counts ?? false) || (focus !== undefined && isAccepted(focus)),
    decided: focus?.resolution ?? undefined,
    before: countedOf(session) > 0n,
    strict: refundRequired,
    short: focus?.underDelivered ?? false,
    review: focus?.failureReason === 'provider_blocked',
    excessReturned: focus?.status === 'completed',
    excessLost: focus?.returnFailed ?? false,
    paidTwice: session.paidTwice,
    slow: session.payments.some(
      ({ status, receivedAt }) => status === 'pending' && now - Date.parse(receivedAt) > SLOW_MS,
    ),
    refundOwner: (focus?.refundTo ?? session.refundTo)?.owner,
  }
}

/** An amount of what a session asks for; for a payer who transfers, so much of the price. */
function amountOf({ method, pricing, amount, currency }: PaySession, units: bigint, locale: Locale): string {
  const whole = unitsOf(amount)
  if (method !== 'bank_transfer' || !pricing || whole === 0n) return moneyIn(locale, decimalOf(units), currency)
  const cent = unitsOf('0.01')
  const part = (unitsOf(pricing.amount) * (units > 0n ? units : 0n)) / whole
  return fiatIn(locale, decimalOf(((part + cent / 2n) / cent) * cent), pricing.currency)
}

/** What was sent with a payment, in the reader's language. Never a currency without its amount: where that is not known, it says so. */
export const sentIn = ({ locale, texts }: Pick<Wording, 'locale' | 'texts'>, payment: Payment): string =>
  payment.amount === '0'
    ? fillPlain(texts.unknownAmount, { currency: payment.currency })
    : (isTransfer(payment) ? fiatIn : moneyIn)(locale, payment.amount, payment.currency)

function valuesOf(
  { session, merchant }: MoneyData,
  { focus, when }: Situation,
  { locale, networks, texts, timeZone }: Wording,
): Values {
  const nameOf = (key: string) => networks[key]?.name ?? key
  const units = (amount: bigint) => amountOf(session, amount, locale)
  const sentOf = (payment: Payment) => sentIn({ locale, texts }, payment)
  const asked = unitsOf(session.amount)
  const account = session.method === 'bank_transfer' ? session.bankAccount : null
  const counted = session.status === 'paid' ? unitsOf(session.receivedAmount) : countedOf(session)
  // What the merchant accepts in another currency adds nothing to the amounts of the session.
  const isOther = focus !== undefined && isAccepted(focus) && unitsOf(focus.creditedAmount) === 0n
  const pending = confirming(session).reduce((total, payment) => total + keptOf(payment), 0n)
  const arrived = unitsOf(session.receivedAmount)
  const returned = focus ? unitsOf(focus.returnedAmount) : 0n
  return {
    merchant: merchant.name,
    network: nameOf(session.networkKey),
    asked: units(asked),
    received: isOther ? sentOf(focus) : units(counted),
    left: account ? fiatIn(locale, account.amount, account.currency) : units(asked - counted),
    sent: focus ? sentOf(focus) : '',
    sentOn: focus?.networkKey === null ? '' : nameOf(focus?.networkKey ?? session.networkKey),
    pending: pending > 0n || !focus ? units(pending) : sentOf(focus),
    pendingLeft: units(asked - counted - pending),
    over: units((focus && returned > 0n ? unitsOf(focus.amount) : arrived) - asked),
    until: timeIn(locale, untilOf(session, { when }), timeZone),
    refundAddress: (focus?.refundTo ?? session.refundTo)?.address ?? '',
    number: session.id,
  }
}
