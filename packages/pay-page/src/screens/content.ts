import { type Locale, locales, type PayData, type View } from '../data.ts'
import { fill } from '../html/fill.ts'
import { type Html, html } from '../html/html.ts'
import { amountIn, dateIn, fiatIn, moneyIn } from '../money/numbers.ts'
import { merchant } from './brand.ts'
import { choice } from './choice.ts'
import { screenOf } from './screen.ts'
import { leave, linkTo, sessionScreen, worth } from './session.ts'

/** Everything inside `<main>`: the same function writes it on the server and, when something changed, in the browser. */
export function content(data: PayData, view: View): Html {
  const { texts } = view
  const screen = screenOf(data)
  const body =
    screen === 'choose'
      ? choice(data, view)
      : data.session && screen !== 'closed'
        ? sessionScreen({ ...data, session: data.session }, screen, view)
        : closed(data, view)
  const isTest = data.environment === 'test'
  return html`${view.preview && html`<p class="sandbox">${texts.preview}${isTest && html`<br>${texts.sandbox}`}</p>`}${!view.preview && isTest && html`<p class="sandbox">${texts.sandbox}</p>`}
${summary(data, view)}
<section class="screen" data-screen="${screen}" aria-labelledby="heading">${body}${!data.session && leave(data, view)}</section>`
}

const closed = (data: PayData, { texts }: View): Html =>
  screenOf(data) === 'paid_already'
    ? html`<h2 id="heading" tabindex="-1">${texts.paidHeading}</h2><p>${texts.paidAlready}</p>`
    : html`<h2 id="heading" tabindex="-1">${texts.closedHeading}</h2><p>${fill(texts.closedText, { merchant: data.merchant.name })}</p>`

/** The heading below says the price: a payer who transfers is asked for it. */
const isPriceAsked = ({ session, pricing }: PayData): boolean =>
  session?.status === 'awaiting_payment' &&
  session.method === 'bank_transfer' &&
  session.bankAccount?.currency === pricing?.currency

/** The heading below says the same amount: it is said once. */
const isAsked = ({ session, currency }: PayData, amount: string): boolean =>
  session?.status === 'awaiting_payment' &&
  session.method === 'onchain' &&
  session.currency === currency &&
  session.remainingAmount === amount

/** Who is paid, for what and how much. */
function summary(data: PayData, view: View): Html {
  const { texts, locale } = view
  const due = data.dueAt && dateIn(locale, data.dueAt, data.timeZone)
  return html`<header class="summary">
  ${merchant(data, view)}
  <h1><bdi>${data.title}</bdi></h1>
  ${data.number && html`<p>${fill(texts.invoice, { number: data.number })}${due && html` · ${fill(texts.due, { date: due })}`}</p>`}
  ${data.description && html`<p class="description"><bdi>${data.description}</bdi></p>`}
  ${data.pricing && !isPriceAsked(data) && html`<p class="amount"><bdi>${fiatIn(locale, data.pricing.amount, data.pricing.currency)}</bdi></p>`}
  ${data.amount !== null && !isAsked(data, data.amount) && html`<p class="amount"><bdi>${moneyIn(locale, data.amount, data.currency)}</bdi>${!data.session && worth(data.fiatValue, view)}</p>`}
  ${data.items.length > 0 && lines(data, view)}
</header>`
}

function lines(data: PayData, { texts, locale }: View): Html {
  // The prices of items are in the currency of the price, if there is one.
  const { pricing } = data
  const money = (amount: string) =>
    pricing ? fiatIn(locale, amount, pricing.currency) : moneyIn(locale, amount, data.currency)
  const { discount } = data
  const sum = (label: string | Html, amount: string | null, sign = '') =>
    amount !== null &&
    html`<tr><th scope="row" colspan="3">${label}</th><td><bdi>${sign}${money(amount)}</bdi></td></tr>`
  return html`<details><summary>${texts.items}</summary><div class="scroll" tabindex="0" role="region" aria-label="${texts.items}"><table>
  <thead><tr><th scope="col">${texts.item}</th><th scope="col">${texts.quantity}</th><th scope="col">${texts.price}</th><th scope="col">${texts.sum}</th></tr></thead>
  <tbody>${data.items.map(
    (item) =>
      html`<tr><th scope="row"><bdi>${item.description}</bdi></th><td>${amountIn(locale, item.quantityDecimal)}</td><td>${amountIn(locale, item.unitAmount)}</td><td>${amountIn(locale, item.subtotal)}</td></tr>`,
  )}</tbody>
  <tfoot>${sum(texts.subtotal, data.subtotal)}${discount && sum(html`<bdi>${discount.description ?? texts.discount}</bdi>${discount.percent !== null && ` (${amountIn(locale, String(discount.percent))} %)`}`, discount.amount, '−')}${sum(texts.tax, data.tax)}${sum(texts.total, pricing?.amount ?? data.amount)}</tfoot></table></div></details>`
}

/** Below the payment: the language, and whose page it is. */
export function footer(id: string, view: View, hideBrand: boolean): Html {
  const { texts, languages, locale } = view
  const link = (each: Locale) =>
    each === locale
      ? html`<li><span lang="${each}" aria-current="true">${languages[each]}</span></li>`
      : html`<li><a lang="${each}" hreflang="${each}" href="${linkTo(id, { ...view, locale: each })}">${languages[each]}</a></li>`
  return html`<footer><nav aria-label="${texts.languages}"><ul>${locales.map(link)}</ul></nav>${!hideBrand && html`<p>${texts.footer}</p>`}</footer>`
}
