import { type HttpClient, type HttpTiming, httpClient } from '@payments/provider-http'

export interface ClientOptions extends HttpTiming {
  readonly baseUrl: string
  /** JWT of the partner dashboard. */
  readonly token: string
}

/** The answer of `/v0/tokens` is below a hundred kilobytes. */
const ANSWER_BYTES = 5_000_000
/** A quote takes up to three seconds. */
const TIMEOUT_MS = 10_000

/** HTTP client of 1Click. Too many quotes do not stop polls; the documents say nothing of limits. */
export const nearIntentsClient = ({ baseUrl, token, timeoutMs = TIMEOUT_MS, ...timing }: ClientOptions): HttpClient =>
  httpClient({
    ...timing,
    timeoutMs,
    baseUrl,
    headers: { authorization: `Bearer ${token}` },
    answerBytes: ANSWER_BYTES,
    pauses: 'path',
  })
