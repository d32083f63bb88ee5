import { Agent, fetch, type RequestInit } from 'undici'
import { ProviderError } from './errors.ts'
import { parseJson } from './text.ts'

/** An answer, whatever its status. */
export interface Answer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Undefined when it is no JSON. */
  readonly body: unknown
}

export type Exchange = (url: string | URL, init: RequestInit, timeoutMs: number) => Promise<Answer>

/**
 * One request at a time and its whole answer, within a deadline; redirects are not followed, because they would show the key to
 * another server. The error never contains the URL, which may contain a key or a person's number.
 * @param answerBytes how long an answer may be
 * @throws ProviderError `unavailable`
 */
export function exchange(answerBytes: number): Exchange {
  // The deadline of a call bounds it.
  const dispatcher = new Agent({ maxResponseSize: answerBytes, headersTimeout: 0, bodyTimeout: 0 })
  return async (url, init, timeoutMs) => {
    try {
      const answer = await fetch(url, {
        ...init,
        redirect: 'error',
        dispatcher,
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status: answer.status, headers: answer.headers, body: parsed(await answer.text()) }
    } catch (cause) {
      throw new ProviderError('unavailable', 'No answer', { cause: named(cause) })
    }
  }
}

/** The failure without the address that was called. */
function named(cause: unknown): Error {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const { name = 'Error', code } = (inner ?? {}) as { name?: string; code?: string }
  return new Error(typeof code === 'string' ? code : name)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
