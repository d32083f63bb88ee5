import type { PayBrand, PayData, View } from '../data.ts'
import { fill } from '../html/fill.ts'
import { type Html, html } from '../html/html.ts'

/** The path of the logo: only one of this service. */
export const logoOf = (brand: PayBrand | undefined): string | undefined =>
  brand?.logoPath && /^\/branding\/logos\/[0-9a-f]{64}$/.test(brand.logoPath) ? brand.logoPath : undefined

/** The merchant at the top of the page: the logo, whom one pays, and the domain that is theirs. */
export function merchant({ merchant: { name }, branding }: PayData, { texts }: View): Html {
  const logo = logoOf(branding)
  return html`<div class="brand">${logo !== undefined && html`<img class="logo" src="${logo}" alt="" height="48">`}<div><p class="merchant">${fill(texts.payTo, { merchant: name })}</p>
  ${branding.verifiedDomain && html`<p class="verified"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3.2 3.2L13 5" fill="none" stroke="currentColor" stroke-width="2"/></svg> ${fill(texts.verifiedDomain, { domain: branding.verifiedDomain })}</p>`}</div></div>`
}

const isWeb = (url: string | null): url is string => url?.startsWith('https://') === true
const isEmail = (address: string | null): address is string =>
  address !== null && /^[^\s@:?&]+@[^\s@:?&]+$/.test(address)

/** Below the payment: who is paid, where to ask, and under which terms. */
export function imprint({ branding }: PayData, { texts }: View): Html | false {
  const { legalName, address, taxId, supportEmail, supportUrl, websiteUrl, termsUrl, privacyUrl } = branding
  const link = (url: string | null, label: string) =>
    isWeb(url) && html`<li><a href="${url}" target="_blank" rel="noopener noreferrer">${label}</a></li>`
  const who = [legalName, address, taxId].filter((each) => each !== null)
  const links = [
    isEmail(supportEmail) && html`<li><a href="mailto:${supportEmail}"><bdi>${supportEmail}</bdi></a></li>`,
    link(supportUrl, texts.support),
    link(websiteUrl, texts.website),
    link(termsUrl, texts.terms),
    link(privacyUrl, texts.privacy),
  ].filter((each) => each !== false)
  if (who.length + links.length === 0) return false
  return html`<section class="imprint" aria-label="${texts.imprint}">${who.length > 0 && html`<p>${who.map((each, index) => html`${index > 0 && ' · '}<bdi>${each}</bdi>`)}</p>`}${links.length > 0 && html`<ul>${links}</ul>`}</section>`
}
