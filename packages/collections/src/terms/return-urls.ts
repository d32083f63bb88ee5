import type { Environment, Mistakes } from '@payments/kernel'

// Addresses of a merchant's site: where payers go back to, and which sites may embed the page.

const HTTPS = 'Must be an https:// URL without a user name or password'
const ORIGIN = 'Must be an https:// origin without a path, like "https://merchant.example"'

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

const fill = (url: string, sessionId: string, status: string): string =>
  url.replaceAll('{SESSION_ID}', encodeURIComponent(sessionId)).replaceAll('{STATUS}', encodeURIComponent(status))

/** The URL of an address as it is written: browsers drop spaces and control characters, and read `\` as `/`. */
function parsed(url: string): URL | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are dropped
  if (/[\s\\\u0000-\u001f\u007f]/.test(url)) return undefined
  return URL.canParse(url) ? new URL(url) : undefined
}

/** `https:`, or `http:` on this computer, where a merchant tries the sandbox. */
const isWeb = (url: URL): boolean => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))

/** Undefined where payers can be sent to an address; else what is wrong. Placeholders may not change the host. */
export function returnUrlMistake(url: string): string | undefined {
  const [one, other] = [parsed(fill(url, 'a', 'b')), parsed(fill(url, 'c', 'd'))]
  if (!one || !other || !isWeb(one) || one.username || one.password) return HTTPS
  return one.origin === other.origin ? undefined : 'Placeholders may stand in the path and the query only'
}

/** A host that means itself in a Content-Security-Policy too, where `*` and `;` have a meaning of their own and URLs may hold them. */
const HOST = /^[\w.-]+$|^\[[\da-f:]+\]$/

/** Undefined where an address is the origin of a site; else what is wrong. */
export function originMistake(origin: string): string | undefined {
  const url = parsed(origin)
  return url?.origin === origin && isWeb(url) && HOST.test(url.hostname) ? undefined : ORIGIN
}

interface Addresses {
  readonly redirectUrl?: string | null | undefined
  readonly cancelUrl?: string | null | undefined
  readonly allowedOrigins?: readonly string[] | undefined
}

/** In live, payers are on other computers: no address may be on this one. */
export function checkAddresses(environment: Environment, given: Addresses, wrong: Mistakes): void {
  if (environment !== 'live') return
  for (const name of ['redirectUrl', 'cancelUrl'] as const) if (given[name]?.startsWith('http:')) wrong[name] = HTTPS
  const local = given.allowedOrigins?.findIndex((origin) => origin.startsWith('http:')) ?? -1
  if (local >= 0) wrong[`allowedOrigins.${local}`] = ORIGIN
}

/** An address with its placeholders filled: the id and the status of the session; without one, no id and the status of the link. */
export const returnUrl = (url: string, session: { id: string } | null, status: string): string =>
  fill(url, session?.id ?? '', status)
