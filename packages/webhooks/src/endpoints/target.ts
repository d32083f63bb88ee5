import { isIP } from 'node:net'
import { invalid } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { webhooksSettings } from '../settings.ts'
import { isPublic, isPublicHost } from './addresses.ts'
import { targetNames } from './resolve.ts'

const NOT_PUBLIC = 'Must not point to a private, loopback or link-local address'

/** Why a target may not be called. The message is for the merchant; it contains no address. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

/** A name without any address: a transient error. */
export class NameNotFound extends Error {
  override name = 'NameNotFound'
}

/**
 * Checks the text of a URL, without resolving its name.
 * @returns the canonical URL, and whether it is one of the exempt development targets.
 * @throws ServiceError 422 on `url`: not HTTPS, credentials in it, or a host that is no public name or address.
 */
export function checkUrl(text: string, devTargets: readonly string[]): { url: URL; exempt: boolean } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw invalid({ url: 'Must be an HTTPS URL' })
  if (url.username || url.password) throw invalid({ url: 'Must not contain credentials' })
  if (devTargets.includes(url.origin)) return { url, exempt: true }
  if (url.protocol !== 'https:') throw invalid({ url: 'Must be an HTTPS URL' })
  if (!isPublicHost(url.hostname)) throw invalid({ url: NOT_PUBLIC })
  return { url, exempt: false }
}

/**
 * Checks a URL and every address of its name before it is stored. A name that does not resolve yet is accepted: each
 * connection resolves it again.
 * @throws ServiceError 422 on `url`.
 */
export async function checkTarget(context: QueryContext, text: string): Promise<string> {
  const { url, exempt } = checkUrl(text, webhooksSettings.from(context.runtime.settings).WEBHOOK_DEV_TARGETS)
  if (exempt || isIP(url.hostname.replace(/^\[|\]$/g, ''))) return url.href
  const addresses = await context.runtime.providers.get(targetNames, context.actor.environment)(url.hostname)
  if (!addresses.every(isPublic)) throw invalid({ url: NOT_PUBLIC })
  return url.href
}
