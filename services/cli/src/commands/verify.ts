import { isPaymentsError, webhooks } from '@payments/sdk'

interface Delivery {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly secret: string
}

/** What was found out about a delivery whose signature does not verify, or that it does. */
export interface Finding {
  readonly verified: boolean
  readonly reason: string
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Verifies a delivery, and finds out why it does not verify: another time, a changed body, or another secret. */
export async function explain({ body, headers, secret }: Delivery, now = Date.now()): Promise<Finding> {
  const fits = (candidate: Uint8Array | string, key: string) =>
    webhooks.constructEvent(candidate, headers, key, { toleranceSeconds: NO_LIMIT, now }).then(
      () => true,
      (error) => {
        if (isPaymentsError(error, 'signature_mismatch') || error instanceof SyntaxError) return false
        throw error
      },
    )
  try {
    await webhooks.constructEvent(body, headers, secret, { now })
    return { verified: true, reason: 'The signature is of this body and secret' }
  } catch (error) {
    if (!isPaymentsError(error)) return { verified: false, reason: 'The signature is right, but the body is not JSON' }
    if (error.code !== 'signature_mismatch')
      return {
        verified: false,
        reason:
          error.code === 'timestamp_outside_tolerance' && !(await fits(body, secret))
            ? 'The timestamp is more than five minutes away from the clock of this machine, and the signature is not of this body and secret'
            : error.message,
      }
  }
  for (const [reason, key] of secretsLike(secret)) if (await fits(body, key)) return { verified: false, reason }
  for (const [reason, candidate] of bodiesLike(body))
    if (await fits(candidate, secret)) return { verified: false, reason }
  return {
    verified: false,
    reason:
      'No signature is of this body and secret: the secret may be of another endpoint or from before a rotation, or the body was changed',
  }
}

const secretsLike = (secret: string): [string, string][] => [
  ['The secret has spaces or a line break around it', secret.trim()],
  ['The secret lacks its beginning: it is the whole text, with whsec_', `whsec_${secret}`],
  ['The secret has quotation marks around it', secret.replace(/^["']|["']$/g, '')],
]

/** Bodies from which this one may have come by what frameworks and shells do to it. */
function bodiesLike(body: Uint8Array): [string, string | Uint8Array][] {
  const text = new TextDecoder().decode(body)
  const like: [string, string | Uint8Array][] = [
    ['The body has a line break at its end that was not sent', text.replace(/\r?\n$/, '')],
    ['Line breaks of the body were changed', text.replaceAll('\r\n', '\n')],
    ['The body was decoded as Latin-1: it is UTF-8', Uint8Array.from(text, (character) => character.charCodeAt(0))],
    ['The body begins with a byte order mark that was not sent', text.replace(/^\ufeff/, '')],
  ]
  try {
    like.push([
      'The body was parsed and written again: verify the raw body, before any parsing',
      JSON.stringify(JSON.parse(text)),
    ])
  } catch {
    // What is no JSON was not written again.
  }
  return like
}
