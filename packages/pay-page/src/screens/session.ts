import type { PayData, PaySession, View } from '../data.ts'
import { fill, fillPlain } from '../document/fill.ts'
import { type Html, html } from '../document/html.ts'
import { codeImage } from '../wallets/code.ts'
import { type CodeFormat, codeOf, walletsOn } from '../wallets/wallets.ts'
import type { Screen } from './screen.ts'

const HOLDS: Readonly<Record<CodeFormat, 'holdsAddress' | 'holdsLink' | 'holdsLinkWithoutAmount'>> = {
  address: 'holdsAddress',
  link: 'holdsLink',
  link_without_amount: 'holdsLinkWithoutAmount',
}

/** The texts of a session's screens. */
function words(
  data: PayData,
  session: PaySession,
  screen: Screen,
  { texts, networks }: View,
): readonly (Html | string)[] {
  const values = {
    merchant: data.merchant.name,
    network: networks[session.networkKey]?.name ?? session.networkKey,
    currency: session.currency,
    amount: session.remainingAmount,
    received: session.receivedAmount,
    total: session.amount,
  }
  const say = (text: string) => fill(text, values)
  const arrived = session.payments.length > 0
  const part = session.receivedAmount !== '0'
  const other = otherPayment(session)
  const elsewhere =
    other &&
    fill(texts.otherText, {
      ...values,
      paidCurrency: other.currency,
      paidNetwork: networks[other.networkKey]?.name ?? other.networkKey,
    })
  switch (screen) {
    case 'waiting':
      return elsewhere
        ? [texts.otherHeading, elsewhere]
        : [say(texts.waitingHeading), say(texts.waitingText), texts.waitingLive, say(texts.wrongNetwork)]
    case 'underpaid':
      if (elsewhere && !part) return [texts.otherHeading, elsewhere]
      return [say(texts.underpaidHeading), say(texts.underpaidText), texts.waitingLive, say(texts.wrongNetwork)]
    case 'confirming': {
      if (isSlow(session, data.serverTime)) return [texts.confirmingHeading, say(texts.confirmingSlow)]
      const pending = pendingPart(session)
      return [
        texts.confirmingHeading,
        pending ? fill(texts.confirmingPart, { ...values, ...pending }) : texts.confirmingText,
      ]
    }
    case 'paid':
      return [
        texts.paidHeading,
        say(texts.paidText),
        ...(session.paidOver ? [say(texts.paidOver)] : []),
        ...(session.paidLate ? [texts.paidLate] : []),
      ]
    case 'returned':
      return [texts.returnedHeading, texts.returnedText, ...wentTo(session, data, texts)]
    case 'failed':
      return [texts.failedHeading, say(texts.failedText)]
    case 'expired':
      if (elsewhere && !part) return [texts.expiredHeading, elsewhere]
      if (part && session.remainingAmount !== '0' && !session.paidLate)
        return [texts.expiredHeading, say(texts.expiredPart)]
      return [
        texts.expiredHeading,
        ...(arrived ? [say(texts.expiredPaid)] : [texts.expiredSent, texts.expiredText, say(texts.wrongNetwork)]),
      ]
    default:
      return [
        texts.cancelledHeading,
        texts.cancelledText,
        ...(part ? [say(texts.cancelledPart)] : elsewhere ? [elsewhere] : arrived ? [say(texts.expiredPaid)] : []),
      ]
  }
}

/** What was delivered in another currency, or on another network, than asked for; undefined where nothing was. */
const otherPayment = ({ payments, currency, networkKey }: PaySession) =>
  payments.find(
    (payment) => payment.status === 'completed' && (payment.currency !== currency || payment.networkKey !== networkKey),
  )

/** A payment takes minutes to be confirmed; after this time something holds it up. */
const SLOW_MS = 30 * 60_000

/** Has one been under way for longer than a payer expects? */
const isSlow = ({ payments }: PaySession, serverTime: string): boolean =>
  payments.some(
    ({ status, receivedAt }) => status === 'pending' && Date.parse(serverTime) - Date.parse(receivedAt) > SLOW_MS,
  )

/** Decimal texts of amounts as whole numbers of the smallest part that either has. */
function exactly(...amounts: readonly string[]): bigint[] {
  const places = Math.max(...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
  return amounts.map((amount) => {
    const [whole = '0', decimals = ''] = amount.split('.')
    return BigInt(whole + decimals.padEnd(places, '0'))
  })
}

/** What is being confirmed and what will be left to pay after it, where that is a part only; undefined where it may be all, or is not known. */
function pendingPart({ payments, remainingAmount, currency, networkKey }: PaySession) {
  const waiting = payments.filter(
    (payment) => payment.status === 'pending' && payment.currency === currency && payment.networkKey === networkKey,
  )
  if (waiting.length === 0 || waiting.some(({ amount }) => amount === '0')) return undefined
  const amounts = [remainingAmount, ...waiting.map(({ amount }) => amount)]
  const places = Math.max(...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
  const [remaining = 0n, ...parts] = exactly(...amounts)
  const pending = parts.reduce((sum, part) => sum + part, 0n)
  const left = remaining - pending
  // A small shortfall may count as paid: the page does not ask for it before the service does.
  if (left * 20n <= remaining) return undefined
  return { pending: decimalOf(pending, places), left: decimalOf(left, places) }
}

function decimalOf(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, '0')
  const decimals = digits.slice(digits.length - places).replace(/0+$/, '')
  const whole = digits.slice(0, digits.length - places)
  return places > 0 && decimals ? `${whole}.${decimals}` : whole
}

/** To whom a payment was sent back; nothing where the service does not say. */
function wentTo({ refundTo }: PaySession, { merchant }: PayData, texts: View['texts']): Html[] {
  if (!refundTo) return []
  const text = {
    payer: texts.returnedToPayer,
    organisation: texts.returnedToMerchant,
    service: texts.returnedToService,
  }
  return [fill(text[refundTo.owner], { merchant: merchant.name, address: refundTo.address })]
}

/** The heading of a session's screen and what belongs to it: how to pay, what arrived, where to go. */
export function sessionScreen(data: PayData, session: PaySession, screen: Screen, view: View): Html {
  const { texts } = view
  const [heading, ...paragraphs] = words(data, session, screen, view)
  const paying = screen === 'waiting' || screen === 'underpaid'
  const ended = screen === 'expired' || screen === 'cancelled' || screen === 'returned'
  return html`<h2 id="heading" tabindex="-1">${heading}</h2>
${paragraphs.map((each) => html`<p>${each}</p>`)}
${paying && instructions(session, screen, view)}
${(screen === 'paid' || session.payments.length > 0) && receipt(data, session, view)}
${ended && data.payable && html`<p><a class="button primary" id="again" href="${linkTo(data.linkId, view)}">${texts.again}</a></p>`}
${screen === 'paid' && data.redirectUrl && isLink(data.redirectUrl) && back(data, data.redirectUrl, view)}`
}

/** The address of another page of the family, in the same language. */
export const linkTo = (id: string, { locale, embedded }: View): string =>
  `/pay/${id}?lang=${locale}${embedded ? '&embed=1' : ''}`

function instructions(session: PaySession, screen: Screen, view: View): Html {
  const { texts, networks } = view
  const network = networks[session.networkKey]
  const type = network?.type ?? 'tvm'
  const code = codeOf(session, view)
  const amount = { amount: session.remainingAmount, currency: session.currency, network: network?.name ?? '' }
  const hasLink = session.paymentUri !== session.depositAddress
  return html`<div class="pay">
  <figure class="code">
    <div class="qr" id="qr" role="img" aria-label="${texts.code}" data-format="${code.format}">${codeImage(code.text)}</div>
    <figcaption><p>${fillPlain(texts.codeHolds, { content: texts[HOLDS[code.format]] })}</p><p><strong>${fill(texts.checkAmount, amount)}</strong></p></figcaption>
  </figure>
  <div class="choose" data-script>
    <label for="wallet">${texts.wallet}</label>
    <select id="wallet">${walletsOn(type).map(
      ({ key, name }) =>
        html`<option value="${key}"${key === view.wallet && html` selected`}>${name || texts.otherWallet}</option>`,
    )}</select>
    ${hasLink && html`<label class="switch"><input type="checkbox" role="switch" id="address-only"${code.format === 'address' && html` checked`}> <span>${texts.addressOnly}</span></label>`}
  </div>
  <dl class="values">
    ${value(texts, 'amount', texts.amount, session.remainingAmount, texts.copyAmount, html` <bdi>${session.currency}</bdi>`)}
    ${value(texts, 'address', texts.address, session.depositAddress, texts.copyAddress)}
    ${hasLink && value(texts, 'link', texts.link, session.paymentUri, texts.copyLink)}
  </dl>
  <p class="time"><span>${texts.timeLeft}</span> <time role="timer" aria-live="off" id="time-left" datetime="${session.expiresAt}">${clock(session.expiresAt)}</time></p>
  ${screen === 'waiting' && html`<p data-script><button type="button" class="quiet" id="cancel">${texts.cancel}</button></p>`}
  <p class="error" id="pay-error" role="alert"></p>
</div>`
}

/** Without the script, the end as a time of the day in UTC. */
const clock = (time: string): string => `${time.slice(11, 16)} UTC`

const value = (
  texts: View['texts'],
  name: string,
  label: string,
  text: string,
  copy: string,
  after: Html | false = false,
): Html =>
  html`<div class="value"><dt>${label}</dt><dd><code id="${name}-text" class="${name}" dir="ltr">${text}</code>${after}</dd>
    <dd data-script><button type="button" class="copy" data-copy="${name}-text" aria-label="${copy}">${texts.copy}</button></dd></div>`

function receipt(data: PayData, session: PaySession, { texts, networks, locale }: View): Html {
  const heading = session.paidAt ? texts.receipt : texts.payments
  return html`<section class="receipt" aria-labelledby="receipt"><h3 id="receipt">${heading}</h3>
  ${session.paidAt && html`<p>${texts.paidAt} <time datetime="${session.paidAt}">${dateTime(session.paidAt, locale)}</time> · <bdi>${data.title}</bdi></p>`}
  <ul>${session.payments.map(
    ({
      amount,
      currency,
      networkKey,
      status,
      txHash,
    }) => html`<li><p><bdi>${amount} ${currency}</bdi> · <bdi>${networks[networkKey]?.name ?? networkKey}</bdi> · ${stateOf(status, texts)}</p>
    ${txHash && html`<p class="hash">${texts.transaction} <code dir="ltr">${txHash}</code></p>`}</li>`,
  )}</ul></section>`
}

const stateOf = (status: string, texts: View['texts']): string =>
  status === 'completed' || status === 'refunded' || status === 'failed' ? texts[status] : texts.pending

/** A `javascript:` address in a link would run in the page, whichever way it came to be stored. */
const isLink = (url: string): boolean => url.startsWith('https://')

const back = (data: PayData, url: string, { texts, embedded }: View): Html =>
  html`<p><a class="button primary" id="return" href="${url}" rel="noopener"${embedded && html` target="_top"`}>${fill(texts.returnTo, { merchant: data.merchant.name })}</a></p>
<p id="returning" hidden><span></span> <button type="button" class="quiet" id="stay">${texts.stay}</button></p>`

/** A time in the reader's language, in UTC, so that the server and the browser write the same. */
const dateTime = (time: string, locale: string): string =>
  `${new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(time))} UTC`
