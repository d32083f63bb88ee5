import { createHmac, randomBytes } from 'node:crypto'

/** A new signing secret: `whsec_` + base64 of 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/**
 * The headers of one delivery. `X-Service-Signature` (specification, Signature) keys the HMAC with the whole secret text;
 * the Standard Webhooks headers (standardwebhooks.com) with its decoded bytes. Several active secrets sign side by side.
 */
export function signedHeaders(input: {
  secrets: readonly string[]
  eventType: string
  deliveryId: string
  eventId: string
  body: string
  at: Date
}): Record<string, string> {
  const timestamp = String(Math.floor(input.at.getTime() / 1000))
  const hex = input.secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestamp}.${input.body}`).digest('hex'),
  )
  const standard = input.secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(`${input.eventId}.${timestamp}.${input.body}`)
      .digest('base64'),
  )
  return {
    'content-type': 'application/json',
    'user-agent': 'payments-webhooks/1',
    'x-service-event': input.eventType,
    'x-service-delivery': input.deliveryId,
    'x-service-timestamp': timestamp,
    'x-service-signature': `t=${timestamp},${hex.map((value) => `v1=${value}`).join(',')}`,
    'webhook-id': input.eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.map((value) => `v1,${value}`).join(' '),
  }
}

/** The header of the challenge, in the request and, returned by a receiver that belongs to the merchant, in its answer. */
export const CHALLENGE = 'x-service-challenge'

/** What only the service can ask of a delivery's receiver: hex HMAC-SHA256 of its id, keyed with the endpoint's secret. */
export const challengeOf = (secret: string, deliveryId: string): string =>
  createHmac('sha256', secret).update(`challenge.${deliveryId}`).digest('hex')
