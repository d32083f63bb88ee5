import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackRequest } from '@payments/platform'

/** Did the API sign these bytes? Compared in constant time. Without a secret, no callback is believed. */
export function isAuthentic(secret: string | undefined, { body, header }: CallbackRequest): boolean {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(header('x-cngn-signature') ?? '')?.[1]
  if (!secret || !given) return false
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'))
}
