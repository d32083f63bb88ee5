import { createHmac, timingSafeEqual } from 'node:crypto'
import { acceptedSecrets, type CallbackRequest } from '@payments/platform'

/** Did the API sign these bytes? Compared in constant time. Without a secret, no callback is believed; a setting has two during a rotation. */
export function isAuthentic(secrets: string | undefined, { body, header }: CallbackRequest): boolean {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(header('x-cngn-signature') ?? '')?.[1]
  if (!secrets || !given) return false
  return acceptedSecrets(secrets).some((secret) =>
    timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex')),
  )
}
