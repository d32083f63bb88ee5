import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallbackRequest } from '@payments/platform'
import { parseJson } from '@payments/provider-http'
import { Callback } from '../wire.ts'

/** How far Relay's clock and ours may be apart, and how long a callback may travel. */
const TOLERANCE_MS = 300_000
/** As seconds this is the year 5138, as milliseconds 1973: below it a timestamp counts seconds. */
const SECONDS_BELOW = 100_000_000_000

/** Did Relay sign this, within five minutes? Compared in constant time. */
export function isAuthentic(apiKey: string, request: CallbackRequest, now: number = Date.now()): boolean {
  const timestamp = request.header('x-signature-timestamp') ?? ''
  const signature = request.header('x-signature-sha256') ?? ''
  if (!/^\d{9,14}$/.test(timestamp) || !/^[0-9a-f]{64}$/i.test(signature)) return false
  const at = Number(timestamp) * (Number(timestamp) < SECONDS_BELOW ? 1000 : 1)
  if (Math.abs(now - at) > TOLERANCE_MS) return false
  const expected = createHmac('sha256', apiKey).update(`${timestamp}.`).update(request.body).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

/** The deposit address that an authentic callback is about; null for one about something else. */
export function addressOf(body: Buffer): string | null {
  try {
    return Callback.safeParse(parseJson(body.toString('utf8'))).data?.data.depositAddress?.address ?? null
  } catch {
    return null
  }
}
