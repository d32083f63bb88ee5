import { PaymentsError } from './errors.ts'
import type { WebhookEvent } from './generated/events.ts'

/** The headers of a delivery, as `fetch`, Node, Express, Hono or a worker have them. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** How a delivery is verified. */
export interface VerifyOptions {
  /** How many seconds the timestamp may differ from this machine's clock; 300 by default. */
  readonly toleranceSeconds?: number
  /** The present time, in milliseconds; for tests. */
  readonly now?: number
}

const encoder = new TextEncoder()

/**
 * Verifies a delivery and returns its event. It takes the **raw** body, before any parsing, and accepts either signature that the service
 * sends: `X-Service-Signature` or Standard Webhooks. `secret` is the `whsec_…` text of the endpoint; name several while a rotated
 * secret overlaps with its successor. An event of a type that this version does not know yet is returned like any other.
 *
 * @throws PaymentsError `signature_missing`, `signature_malformed`, `signature_mismatch` or `timestamp_outside_tolerance`
 *
 * @example
 * const event = await webhooks.constructEvent(request.body, request.headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')
 * if (event.type === 'payment_route.deposit.updated') console.log(event.data.status, event.data.previousStatus)
 */
async function constructEvent(
  body: string | Uint8Array | ArrayBuffer,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body)
  const { timestamp, signed, signatures, keyOf } = signatureOf(headers, bytes)
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new PaymentsError(
      'timestamp_outside_tolerance',
      `The timestamp ${timestamp} differs from the clock of this machine by more than ${toleranceSeconds} s`,
    )
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const bytesOfKey = keyOf(one)
    if (bytesOfKey.length === 0) continue
    const key = await hmacKey(bytesOfKey, 'verify')
    // Web Crypto compares in constant time.
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new PaymentsError(
    'signature_mismatch',
    'No signature is of this body and secret: pass the raw body, and the secret of this endpoint',
  )
}

/**
 * The headers with which the service would deliver a body, for tests of a receiver.
 *
 * @example
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
 * const body = JSON.stringify({ id: 'evt', type: 'webhook.test', created: '2026-01-31T12:00:00.000Z', data: { id: 'evt' } })
 * const headers = await webhooks.testHeaders(body, secret)
 * console.log((await webhooks.constructEvent(body, headers, secret)).type) // webhook.test
 */
async function testHeaders(body: string, secret: string, now = Date.now()): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000))
  const { id = '', type = '' } = JSON.parse(body) as { id?: string; type?: string }
  const sign = async (key: Uint8Array<ArrayBuffer>, text: string) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', await hmacKey(key, 'sign'), encoder.encode(text)))
  const hex = await sign(encoder.encode(secret), `${timestamp}.${body}`)
  const base64 = await sign(decodedSecret(secret), `${id}.${timestamp}.${body}`)
  return {
    'content-type': 'application/json',
    'x-service-event': type,
    'x-service-timestamp': timestamp,
    'x-service-signature': `t=${timestamp},v1=${[...hex].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...base64))}`,
  }
}

interface Signature {
  readonly timestamp: string
  readonly signed: Uint8Array<ArrayBuffer>
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
  /** What of a secret is the key. */
  keyOf(secret: string): Uint8Array<ArrayBuffer>
}

function signatureOf(headers: DeliveryHeaders, body: Uint8Array): Signature {
  const own = headerOf(headers, 'x-service-signature')
  const standard = headerOf(headers, 'webhook-signature')
  if (own === undefined && standard === undefined)
    throw new PaymentsError(
      'signature_missing',
      'Neither X-Service-Signature nor webhook-signature is among the headers',
    )
  const parts = own?.split(',').map((part) => part.trim().split('='))
  const timestamp = own
    ? (parts?.find(([name]) => name === 't')?.[1] ?? '')
    : (headerOf(headers, 'webhook-timestamp') ?? '')
  const prefix = own ? `${timestamp}.` : `${headerOf(headers, 'webhook-id')}.${timestamp}.`
  const texts = parts
    ? parts.flatMap(([name, hex = '']) => (name === 'v1' && /^([\da-f]{2})+$/i.test(hex) ? [hex] : []))
    : (standard ?? '').split(' ').flatMap((part) => part.match(/^v1,([A-Za-z\d+/]+=*)$/)?.[1] ?? [])
  if (!/^\d+$/.test(timestamp) || texts.length === 0)
    throw new PaymentsError('signature_malformed', `The signature "${own ?? standard}" has no timestamp, or no v1 part`)
  const head = encoder.encode(prefix)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  return {
    timestamp,
    signed,
    signatures: texts.map((text) => (own ? fromHex(text) : fromBase64(text))),
    keyOf: own ? (secret) => encoder.encode(secret) : decodedSecret,
  }
}

function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  if (typeof (headers as Headers).get === 'function') return (headers as Headers).get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return found === undefined ? undefined : String(found)
}

const hmacKey = (key: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [use])

const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

const decodedSecret = (secret: string) => fromBase64(secret.replace(/^whsec_/, ''))

/** Verification of webhook deliveries. */
export const webhooks = { constructEvent, testHeaders } as const
