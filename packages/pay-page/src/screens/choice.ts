import type { PayData, View } from '../data.ts'
import { fill, fillPlain } from '../html/fill.ts'
import { type Html, html } from '../html/html.ts'
import { fiatIn } from '../money/numbers.ts'
import { estimate, refundFields } from './transfer.ts'

/**
 * The two steps of a choice: a currency, where there are several, and a network on which it is sent. The first of each is chosen. A bank transfer is
 * the first currency where the price is in it, else the last.
 */
function options({ paymentOptions: networks, bankTransfer, pricing }: PayData, view: View): Html {
  const { texts } = view
  const transfers = bankTransfer ? [{ ...TRANSFER, currency: bankTransfer.currency }] : []
  const about = bankTransfer && estimate(bankTransfer, pricing, view)
  const isPrice = bankTransfer?.currency === pricing?.currency
  const paymentOptions = isPrice ? [...transfers, ...networks] : [...networks, ...transfers]
  const currencies = [...new Set(paymentOptions.map(({ currency }) => currency))]
  const first = paymentOptions[0]
  const several =
    currencies.length > 1 &&
    html`<fieldset class="currencies"><legend>${texts.currencyLabel}</legend>${currencies.map(
      (currency) =>
        html`<label class="option"><input type="radio" name="currency" value="${currency}"${currency === first?.currency && html` checked`}> <bdi>${currency}</bdi></label>`,
    )}</fieldset>`
  // The networks of another currency are shown when it is chosen.
  return html`${several}${currencies.map(
    (currency) =>
      html`<fieldset class="networks" data-currency="${currency}"${currency !== first?.currency && html` hidden`}><legend>${currency === bankTransfer?.currency ? texts.methodLabel : texts.networkLabel}</legend>${paymentOptions
        .filter((each) => each.currency === currency)
        .map((option) =>
          network(option, option === first, about, view),
        )}${bankTransfer && currency === bankTransfer.currency && refundFields(bankTransfer, view)}</fieldset>`,
  )}`
}

/** A network with what a payment on it usually costs and takes. */
function network(
  { networkKey, currency, estimatedFee, estimatedSeconds }: PayData['paymentOptions'][number],
  isChosen: boolean,
  about: Html | false | null,
  { texts, networks, locale }: View,
): Html {
  const usual = {
    fee: fiatIn(locale, estimatedFee, 'USD'),
    minutes: Math.max(1, Math.round(estimatedSeconds / SECONDS_OF_A_MINUTE)),
  }
  if (networkKey === TRANSFER.networkKey)
    return html`<label class="option"><input type="radio" name="option" value="${networkKey}:${currency}"${isChosen && html` checked`}> <span>${texts.methodTransfer} <small>${texts.transferCost}${about && html`<br>${about}`}</small></span></label>`
  return html`<label class="option"><input type="radio" name="option" value="${networkKey}:${currency}"${isChosen && html` checked`}> <span><bdi>${networks[networkKey]?.name ?? networkKey}</bdi> <small>${fill(texts.networkCost, usual)}</small></span></label>`
}

const SECONDS_OF_A_MINUTE = 60

/** Stands among the networks of a choice. */
const TRANSFER = { networkKey: 'bank_transfer', estimatedFee: '0', estimatedSeconds: 0 }

/** The form with which a payer starts a session. The script sends it; without the script it can be read. */
export function choice(data: PayData, view: View): Html {
  const { texts } = view
  const refund = data.refundRequired ? texts.refundAddress : fillPlain(texts.optional, { label: texts.refundAddress })
  return html`<h2 id="heading" tabindex="-1">${texts.chooseHeading}</h2>
${!view.preview && html`<noscript><p class="note">${texts.needsScript}</p></noscript>`}
<form id="start" novalidate>
  ${options(data, view)}
  ${data.amount === null && data.pricing === null && field('amount', fill(texts.ownAmount, { currency: data.currency }), { inputmode: 'decimal', required: true })}
  ${field('payerEmail', texts.email, { type: 'email', autocomplete: 'email' })}
  <div class="onchain">${field('refundAddress', refund, { required: data.refundRequired })}</div>
  <p class="error" id="start-error" role="alert"></p>
  <p${!view.preview && html` data-script`}><button type="submit" class="primary">${texts.start}</button></p>
</form>`
}

function field(
  name: string,
  label: string | Html,
  given: { type?: string; inputmode?: string; autocomplete?: string; required?: boolean },
): Html {
  const {
    type = 'text',
    inputmode = type === 'email' ? 'email' : 'text',
    autocomplete = 'off',
    required = false,
  } = given
  return html`<label class="field" for="${name}">${label}</label>
  <input id="${name}" name="${name}" type="${type}" inputmode="${inputmode}" autocomplete="${autocomplete}" autocapitalize="none" spellcheck="false" dir="ltr"${required && html` required`} aria-describedby="${name}-error">
  <p class="error" id="${name}-error"></p>`
}
