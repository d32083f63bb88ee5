import { exchange } from '@payments/provider-http'
import { z } from 'zod'

export interface QoreidOptions {
  readonly baseUrl: string
  readonly clientId: string
  readonly secret: string
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 20_000
const Token = z.object({ accessToken: z.string().min(1), expiresIn: z.coerce.number().positive() })

/** A POST to QoreID. The error says nothing of the request, whose URL may contain a BVN. */
export const post = (options: QoreidOptions, path: string, body: object, bearer?: string) =>
  exchange(1_000_000)(
    `${options.baseUrl.replace(/\/$/, '')}${path}`,
    {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      },
      body: JSON.stringify(body),
    },
    options.timeoutMs ?? TIMEOUT_MS,
  ).catch(() => undefined)

/** A token for this client, with the seconds that it lasts, or why there is none. */
export async function tokenOf(
  options: QoreidOptions,
): Promise<{ token: { value: string; seconds: number } } | { problem: string }> {
  const answer = await post(options, '/token', { clientId: options.clientId, secret: options.secret })
  if (!answer) return { problem: 'No answer' }
  if (answer.status >= 300) return { problem: `Status ${answer.status}` }
  const fresh = Token.safeParse(answer.body).data
  return fresh
    ? { token: { value: fresh.accessToken, seconds: fresh.expiresIn } }
    : { problem: 'Not the documented answer' }
}
