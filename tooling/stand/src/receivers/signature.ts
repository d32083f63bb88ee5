import { createHmac, timingSafeEqual } from 'node:crypto'

/** The documented check of a delivery's signature (specification, Events, Signature): one of its `v1` parts is of this secret. */
export function isSigned(body: string, header: string, secret: string): boolean {
  const parts = header.split(',').map((part) => part.split('=') as [string, string])
  const timestamp = parts.find(([name]) => name === 't')?.[1]
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest()
  return parts
    .filter(([name]) => name === 'v1')
    .some(([, value]) => {
      const given = Buffer.from(value, 'hex')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
