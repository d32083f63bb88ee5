import { type HttpClient, httpClient } from '@payments/provider-http'
import { z } from 'zod'

export interface QoreidOptions {
  readonly baseUrl: string
  readonly clientId: string
  readonly secret: string
  /** Timeout of one call, ms. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 20_000
const ANSWER_BYTES = 1_000_000
const Token = z.object({ accessToken: z.string().min(1), expiresIn: z.coerce.number().positive() })

/** A POST to QoreID, whatever the status below 500 of its answer. @throws ProviderError, which says nothing of the request */
export type QoreidPost = (path: string, body: object, bearer?: string) => ReturnType<HttpClient['call']>

/** All calls share the connections of one client, and the pause that a 429 asks for. Their URLs may contain a BVN. */
export function qoreidPost({ baseUrl, timeoutMs = TIMEOUT_MS }: QoreidOptions): QoreidPost {
  const client = httpClient({ baseUrl, headers: {}, answerBytes: ANSWER_BYTES, pauses: 'all', timeoutMs })
  return (path, body, bearer) =>
    client.call(new URL(`${baseUrl.replace(/\/$/, '')}${path}`), {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      },
      body: JSON.stringify(body),
    })
}

/** A token for this client, with the seconds that it lasts, or why there is none. */
export async function tokenOf(
  post: QoreidPost,
  { clientId, secret }: QoreidOptions,
): Promise<{ token: { value: string; seconds: number } } | { problem: string }> {
  const answer = await post('/token', { clientId, secret }).catch((error: Error) => error)
  if (answer instanceof Error) return { problem: answer.message }
  if (answer.status >= 300) return { problem: `Status ${answer.status}` }
  const fresh = Token.safeParse(answer.body).data
  return fresh
    ? { token: { value: fresh.accessToken, seconds: fresh.expiresIn } }
    : { problem: 'Not the documented answer' }
}
