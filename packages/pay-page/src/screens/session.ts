import type { NetworkView, PayData, Payment, PaySession, View } from '../data.ts'
import { fill, fillPlain } from '../html/fill.ts'
import { type Html, html } from '../html/html.ts'
import { moneyOf, type Said, sentIn } from '../money/facts.ts'
import { amountIn, fiatIn, timeIn } from '../money/numbers.ts'
import { isAccepted, isRequested, isTransfer } from '../money/situation.ts'
import { codeImage } from '../wallets/code.ts'
import { type CodeFormat, codeOf, wallets, walletsOn } from '../wallets/wallets.ts'
import type { Screen } from './screen.ts'
import { account, accountForm } from './transfer.ts'
import { clock, value } from './value.ts'

const HOLDS: Readonly<Record<CodeFormat, 'holdsAddress' | 'holdsLink' | 'holdsLinkWithoutAmount'>> = {
  address: 'holdsAddress',
  link: 'holdsLink',
  link_without_amount: 'holdsLinkWithoutAmount',
}

/** The heading of a session's screen and what belongs to it: how to pay, what arrived, where to go. */
export function sessionScreen(data: PayData & { readonly session: PaySession }, screen: Screen, view: View): Html {
  const { texts } = view
  const { session } = data
  const restByTransfer = data.bankTransfer !== null
  const said = moneyOf({ ...data, restByTransfer }, view)
  const left = { left: said.values.left }
  return html`<h2 id="heading" tabindex="-1">${fill(texts[said.heading], said.values)}</h2>
${said.step === 'pay' && inOtherMoney(data, said, view)}
${said.texts.map((name) => html`<p>${fill(texts[name], said.values)}</p>`)}
${(said.step === 'pay' || said.step === 'rest') && ways({ ...data, session }, said, view)}
${said.step === 'ask_open' && html`<details><summary>${fill(texts.payAnyway, left)}</summary>${instructions(session, said, view)}</details>`}
${(said.situation.what === 'nothing' || said.step === 'rest') && help(session, said, view)}
${(screen === 'paid' || session.payments.length > 0) && receipt(data, session, view)}
${said.step === 'again' && data.payable && html`<p><a class="button primary" id="again" href="${linkTo(data.linkId, view)}">${texts.again}</a></p>`}
${screen === 'paid' && back(data, view)}
${(screen === 'cancelled' || screen === 'expired') && leave(data, view)}`
}

/** What the heading asks for, in other money: the rate of a price, else its worth. Who transfers sees the price itself above. */
function inOtherMoney(
  { currency, session }: PayData & { readonly session: PaySession },
  { byTransfer }: Said,
  view: View,
) {
  if (!session.pricing) return worth(session.fiatValue, view)
  return !byTransfer && heldRate(session.pricing, currency, view)
}

/** The address of another page of the family, in the same language. */
export const linkTo = (id: string, { locale, embedded, scheme }: View): string =>
  `/pay/${id}?lang=${locale}${embedded ? '&embed=1' : ''}${scheme ? `&scheme=${scheme}` : ''}`

/** The ways in which a session can be paid: the one that the payer chose, and below it the other one. */
function ways(data: PayData & { readonly session: PaySession }, said: Said, view: View): Html {
  const { session, bankTransfer } = data
  const { texts } = view
  // After its end a session gives no account any more.
  const offer = said.situation.when === 'in_time' ? bankTransfer : null
  if (!said.byTransfer)
    return html`${instructions(session, said, view)}
${offer !== null && html`<details><summary>${texts.payByTransfer}</summary>${accountForm(offer, data, leftToTransfer(data, view), view)}</details>`}`
  // What to send in stablecoin is said in stablecoin.
  const onchain = { ...session, method: 'onchain' as const }
  const coin = moneyOf({ ...data, session: onchain }, view)
  const { bankAccount } = session
  return html`${bankAccount ? account(bankAccount, view) : offer !== null && accountForm(offer, data, said.values.left, view)}
<details><summary>${texts.payByCoin}</summary><p><strong>${fill(texts.waitingHeading, coin.values)}</strong>${session.pricing && heldRate(session.pricing, data.currency, view)}</p><p>${fill(texts.waitingText, coin.values)}</p>${instructions(onchain, coin, view, bankAccount === null)}</details>`
}

const leftToTransfer = (data: PayData & { readonly session: PaySession }, view: View): string =>
  moneyOf({ ...data, session: { ...data.session, method: 'bank_transfer' }, restByTransfer: true }, view).values.left

/** @param isTimed the time that is left is shown here */
function instructions(session: PaySession, { situation, values }: Said, view: View, isTimed = true): Html {
  const { texts, networks, locale } = view
  const type = networks[session.networkKey]?.type ?? 'tvm'
  const code = codeOf(session, view)
  const hasLink = session.paymentUri !== session.depositAddress
  const until = situation.when === 'grace' ? session.acceptedUntil : session.expiresAt
  return html`<div class="pay">
  <div class="first">
    <div class="qr" id="qr" role="img" aria-label="${texts.code}" data-format="${code.format}">${codeImage(code.text)}</div>
    <div>
      <dl class="values">
        ${value(texts, 'amount', texts.amount, amountIn(locale, session.remainingAmount), texts.copyAmount, { copied: session.remainingAmount, after: html` <bdi>${session.currency}</bdi>` })}
        ${value(texts, 'network', texts.networkLabel, values.network)}
      </dl>
      ${isTimed && html`<p class="time"><span>${texts.timeLeft}</span> <time role="timer" aria-live="off" id="time-left" datetime="${until}">${clock(until)}</time></p>`}
    </div>
  </div>
  <dl class="values">${value(texts, 'address', texts.address, session.depositAddress, texts.copyAddress)}</dl>
  <div id="wallets"></div>
  <div id="wallet-status" class="hash"></div>
  <p>${texts.waitingLive}</p>
  <p>${fill(fillPlain(texts.codeHolds, { content: texts[HOLDS[code.format]] }), values)} <strong>${fill(texts.checkAmount, values)}</strong></p>
  ${situation.what !== 'nothing' && worth(session.fiatValue, view)}
  <div class="choose" data-script>
    <label for="wallet">${texts.wallet}</label>
    <select id="wallet">${walletsOn(type).map(
      ({ key, name }) =>
        html`<option value="${key}"${key === view.wallet && html` selected`}>${name || texts.otherWallet}</option>`,
    )}</select>
    ${opened(view)}
    ${hasLink && html`<label class="switch"><input type="checkbox" role="switch" id="address-only"${code.format === 'address' && html` checked`}> <span>${texts.addressOnly}</span></label>`}
  </div>
  ${session.refundTo?.owner !== 'payer' && html`<p class="note">${texts.exchangeWarning}</p>`}
  ${hasLink && html`<dl class="values">${value(texts, 'link', texts.link, session.paymentUri, texts.copyLink)}</dl>`}
  ${session.status === 'awaiting_payment' && html`<p data-script><button type="button" class="quiet" id="cancel">${texts.cancel}</button></p>`}
  <p class="error" id="pay-error" role="alert"></p>
</div>`
}

/** Opens the page in the browser of the wallet that the reader has chosen. */
function opened({ walletLinks = {}, wallet, texts }: View): Html | false {
  const link = walletLinks[wallet]
  const name = wallets.find(({ key }) => key === wallet)?.name ?? ''
  return (
    link?.startsWith('https://') === true &&
    html`<p id="open-wallet"><a class="button" href="${link}" target="_blank" rel="noopener">${fill(texts.openIn, { wallet: name })}</a></p>`
  )
}

/** The rate at which a session holds a price of the merchant; one to one needs no words. */
const heldRate = (
  { currency, rate }: NonNullable<PaySession['pricing']>,
  paid: string,
  { texts, locale }: View,
): Html | false =>
  rate !== '1' &&
  html`<small class="worth">${fill(texts.heldRate, { rate: `1 ${paid} = ${amountIn(locale, rate)} ${currency}` })}</small>`

/** What an amount is worth in the money of a country, apart from what to send. */
export const worth = (value: PayData['fiatValue'], { texts, locale }: View): Html | false =>
  value !== null &&
  html`<small class="worth">${fill(texts.worth, { value: fiatIn(locale, value.amount, value.currency) })}</small>`

/** What to do where a payment does not appear: look again, and whom to give which numbers. */
function help(
  { id, method, networkKey, depositAddress }: PaySession,
  { values }: Said,
  { texts, networks }: View,
): Html {
  return html`<details class="help" id="help"><summary>${texts.helpHeading}</summary>
  <p>${fill(method === 'bank_transfer' ? texts.helpTransfer : texts.helpText, values)}</p>
  ${method === 'onchain' && explored(networks[networkKey], 'address', depositAddress, texts)}
  <p class="hash">${texts.reference} <code dir="ltr">${id}</code></p>
  <p data-script><button type="button" id="look-again">${texts.lookAgain}</button> <span id="looked" role="status"></span></p>
  ${method === 'onchain' && html`<p>${fill(texts.wrongNetwork, values)}</p>`}</details>`
}

function receipt(data: PayData, session: PaySession, view: View): Html {
  const { texts, networks, locale, timeZone } = view
  const heading = session.paidAt ? texts.receipt : texts.payments
  return html`<section class="receipt" aria-labelledby="receipt"><h3 id="receipt">${heading}</h3>
  ${session.paidAt && html`<p>${texts.paidAt} <time datetime="${session.paidAt}">${timeIn(locale, session.paidAt, timeZone)}</time> · <bdi>${data.title}</bdi></p>`}
  <ul>${session.payments.map((payment, index) => {
    const { txHash } = payment
    const networkKey = payment.networkKey ?? ''
    const sent = sentIn(view, payment)
    const way = isTransfer(payment) ? texts.methodTransfer : (networks[networkKey]?.name ?? networkKey)
    const id = `hash-${index}`
    return html`<li><p><bdi>${sent}</bdi> · <bdi>${way}</bdi> · ${stateOf(session, payment, texts)}</p>
    ${txHash && html`<div class="value"><p class="hash">${texts.transaction} <code id="${id}" dir="ltr">${txHash}</code></p><p data-script><button type="button" class="copy" data-copy="${id}" aria-label="${texts.copyHash}">${texts.copy}</button></p></div>${explored(networks[networkKey], 'transaction', txHash, texts)}`}</li>`
  })}</ul>
  <p class="hash">${texts.reference} <code dir="ltr">${session.id}</code></p>
  ${hasReceipt(session) && html`<p><a id="receipt-pdf" href="/pay/${session.id}/receipt.pdf?lang=${locale}"${view.embedded && html` target="_blank" rel="noopener"`}>${texts.downloadPdf}</a></p>`}</section>`
}

/** A document can say what a session received: it is paid, or what came is no longer being confirmed. */
export const hasReceipt = ({ paidAt, payments }: PaySession): boolean =>
  paidAt !== null || (payments.length > 0 && payments.every(({ status }) => status !== 'pending'))

/** A link to what an explorer shows. */
function explored(
  network: NetworkView | undefined,
  kind: 'transaction' | 'address',
  value: string,
  texts: View['texts'],
): Html | false {
  const url = network?.explorer && network.explorer[kind] + encodeURIComponent(value)
  return (
    url?.startsWith('https://') === true &&
    html`<p class="explorer"><a href="${url}" target="_blank" rel="noopener noreferrer">${fill(texts.explorer, { explorer: network?.explorer?.name ?? '' })}</a></p>`
  )
}

/** What happened with one payment. */
export function stateOf(session: PaySession, payment: Payment, texts: View['texts']): string {
  const { status, counts, refundTo, settled, failureReason } = payment
  if (status === 'completed')
    return (counts || isAccepted(payment)) && isRequested(session, payment) ? texts.completed : texts.notCounted
  if (status === 'refunded') return refundTo?.owner === 'service' && !settled ? texts.onItsWay : texts.refunded
  if (status === 'failed') return failureReason === 'deposit_not_confirmed' ? texts.unconfirmed : texts.failed
  return texts.pending
}

/** A `javascript:` address in a link would run in the page, whichever way it came to be stored. In the sandbox, a site may be on this computer. */
const isLink = (url: string | null): url is string =>
  url !== null && /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(url)

/** The way back to the merchant without paying. */
export const leave = ({ merchant, cancelUrl }: PayData, { texts, embedded }: View): Html | false =>
  isLink(cancelUrl) &&
  html`<p><a id="leave" href="${cancelUrl}" rel="noopener"${embedded && html` target="_top"`}>${fill(texts.returnTo, { merchant: merchant.name })}</a></p>`

const back = ({ merchant, redirectUrl }: PayData, { texts, embedded }: View): Html | false =>
  isLink(redirectUrl) &&
  html`<p><a class="button primary" id="return" href="${redirectUrl}" rel="noopener"${embedded && html` target="_top"`}>${fill(texts.returnTo, { merchant: merchant.name })}</a></p>
<p id="returning" hidden><span></span> <button type="button" class="quiet" id="stay">${texts.stay}</button></p>`
