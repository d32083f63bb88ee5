import type { PayData, View } from '../data.ts'
import { fill, fillPlain } from '../document/fill.ts'
import { type Html, html } from '../document/html.ts'

/** So many options are shown side by side; more are a list to open. */
const SHOWN_OPTIONS = 5

/** What a payer can use: a network and a currency on it. The merchant's own currency comes first. */
function options({ paymentOptions, currency: own }: PayData, { texts, networks }: View): Html {
  const all = paymentOptions.map(({ networkKey, currency }) => {
    const network = networks[networkKey]?.name ?? networkKey
    return { network, own: currency === own, value: `${networkKey}:${currency}`, values: { currency, network } }
  })
  const first = (all.find((each) => each.own) ?? all[0])?.value
  if (all.length <= SHOWN_OPTIONS)
    return html`<fieldset><legend>${texts.option}</legend>${all.map(
      ({
        value,
        values,
      }) => html`<label class="option"><input type="radio" name="option" value="${value}"${value === first && html` checked`}>
      <span>${fill(texts.optionName, values)}</span></label>`,
    )}</fieldset>`
  return html`<label class="field" for="option">${texts.option}</label>
  <select id="option" name="option">${[...new Set(all.map(({ network }) => network))].map(
    (network) =>
      html`<optgroup label="${network}">${all
        .filter((each) => each.network === network)
        .map(
          ({ value, values }) =>
            html`<option value="${value}"${value === first && html` selected`}>${fillPlain(texts.optionName, values)}</option>`,
        )}</optgroup>`,
  )}</select>`
}

/** The form with which a payer starts a session. The script sends it; without the script it can be read. */
export function choice(data: PayData, view: View): Html {
  const { texts } = view
  const refund = data.refundRequired ? texts.refundAddress : fillPlain(texts.optional, { label: texts.refundAddress })
  return html`<h2 id="heading" tabindex="-1">${texts.chooseHeading}</h2>
<noscript><p class="note">${texts.needsScript}</p></noscript>
<form id="start" novalidate>
  ${options(data, view)}
  ${data.amount === null && field('amount', fill(texts.ownAmount, { currency: data.currency }), { inputmode: 'decimal', required: true })}
  ${field('payerEmail', texts.email, { type: 'email', autocomplete: 'email' })}
  ${field('refundAddress', refund, { required: data.refundRequired })}
  <p class="error" id="start-error" role="alert"></p>
  <button type="submit" class="primary">${texts.start}</button>
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
