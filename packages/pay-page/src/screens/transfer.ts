import type { BankTransfer, PayData, PaySession, View } from '../data.ts'
import { fill } from '../html/fill.ts'
import { type Html, html } from '../html/html.ts'
import { amountIn, fiatIn } from '../money/numbers.ts'
import { clock, value } from './value.ts'

/** The account that a payer transfers to. */
export function account(bankAccount: NonNullable<PaySession['bankAccount']>, { texts, locale }: View): Html {
  const { bankName, accountNumber, accountName, amount, currency, reference, expiresAt } = bankAccount
  return html`<div class="pay">
  <dl class="values">
    ${value(texts, 'transfer-amount', texts.amount, amountIn(locale, amount), texts.copyAmount, { copied: amount, after: html` <bdi>${currency}</bdi>` })}
    ${value(texts, 'account-number', texts.accountNumber, accountNumber, texts.copyAccount)}
    ${value(texts, 'bank', texts.bank, bankName)}
    ${value(texts, 'account-name', texts.accountName, accountName)}
    ${reference !== null && value(texts, 'narration', texts.narration, reference, texts.copyNarration)}
  </dl>
  <p class="time"><span>${texts.timeLeft}</span> <time role="timer" aria-live="off" id="time-left" datetime="${expiresAt}">${clock(expiresAt)}</time></p>
  <p>${texts.waitingLive}</p>
</div>`
}

/** About what has to be transferred, where the price is in other money. */
export const estimate = ({ currency, estimatedAmount }: BankTransfer, pricing: PayData['pricing'], view: View) =>
  estimatedAmount !== null &&
  pricing?.currency !== currency &&
  fill(view.texts.transferEstimate, { amount: fiatIn(view.locale, estimatedAmount, currency) })

/** The form with which a session gets an account: for all of it, or for the rest. The script sends it. */
export function accountForm(
  offer: BankTransfer,
  { pricing }: Pick<PayData, 'pricing'>,
  left: string,
  view: View,
): Html {
  const about = estimate(offer, pricing, view)
  return html`<form id="transfer" novalidate data-script>
  ${about && html`<small class="worth">${about}</small>`}
  ${refundFields(offer, view)}
  <p class="error" id="transfer-error" role="alert"></p>
  <button type="submit" class="primary">${fill(view.texts.newAccount, { left })}</button>
</form>`
}

/** Where a transfer goes back to that cannot be delivered, for a provider that must know it. */
export const refundFields = ({ refundAccountRequired, banks }: BankTransfer, { texts }: View): Html | false =>
  refundAccountRequired &&
  html`<fieldset class="refund-account" aria-describedby="refundAccount-error"><legend>${texts.refundBank}</legend>
  <label class="field" for="refundBank">${texts.bank}</label>
  <select id="refundBank" name="refundBank"><option value=""></option>${banks.map(({ code, name }) => html`<option value="${code}">${name}</option>`)}</select>
  <label class="field" for="refundNumber">${texts.accountNumber}</label>
  <input id="refundNumber" name="refundNumber" type="text" inputmode="numeric" autocomplete="off" dir="ltr">
  <label class="field" for="refundName">${texts.accountName}</label>
  <input id="refundName" name="refundName" type="text" autocomplete="name">
  <p class="error" id="refundAccount-error"></p></fieldset>`
