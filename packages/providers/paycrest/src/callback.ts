import { createHmac, timingSafeEqual } from 'node:crypto'
import { acceptedSecrets, type CallbackRequest } from '@payments/platform'
import { parseJson } from '@payments/provider-http'
import { Callback } from './wire.ts'

const NEWLINE = 0x0a

/**
 * Did Paycrest sign these bytes? Compared in constant time. Its server has signed the JSON and sent it with a newline
 * behind it, while its documentation says that the exact body is signed: both count. `apiSecrets`: the setting, which has two secrets
 * during a rotation.
 */
export function isAuthentic(apiSecrets: string, request: CallbackRequest): boolean {
  const signature = request.header('x-paycrest-signature') ?? ''
  if (!/^[0-9a-f]{64}$/i.test(signature)) return false
  const given = Buffer.from(signature, 'hex')
  const { body } = request
  const bodies = body.at(-1) === NEWLINE ? [body, body.subarray(0, -1)] : [body]
  return acceptedSecrets(apiSecrets).some((secret) =>
    bodies.some((bytes) => timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), given)),
  )
}

/** The reference of the order that an authentic callback is about; null for one about something else. */
export function referenceOf(body: Buffer): string | null {
  try {
    return Callback.safeParse(parseJson(body.toString('utf8'))).data?.data.reference ?? null
  } catch {
    return null
  }
}
