import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Is this delivery ours, whole and fresh? `body` is the raw request body, before any parsing; `header` is
 * `X-Service-Signature`; `secret` is the whole `whsec_…` text. During a rotation the header lists several signatures.
 */
export function verify(secret: string, header: string, body: string | Buffer, toleranceSeconds = 300): boolean {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string?])
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d+$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  return parts.some(([name, hex]) => {
    const given = Buffer.from(name === 'v1' ? (hex ?? '') : '', 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
