import { type HttpClient, type HttpTiming, httpClient } from '@payments/provider-http'

export interface RelayOptions extends HttpTiming {
  readonly baseUrl: string
  readonly apiKey: string
  /** Calls a minute that Relay allows this key for `/requests/v3`, over all processes. */
  readonly requestsPerMinute: number
  /** Quotes a minute that Relay allows this key, over all processes. */
  readonly quotesPerMinute?: number
  /** How long the list of offers is cached, ms. */
  readonly offersMs?: number
}

/** The answer of `/chains` is a few hundred kilobytes. */
const ANSWER_BYTES = 10_000_000

/** HTTP client of Relay, which limits each path separately: too many quotes must not stop polls. */
export const relayClient = ({ baseUrl, apiKey, ...options }: RelayOptions): HttpClient =>
  httpClient({
    ...options,
    baseUrl,
    headers: { 'x-api-key': apiKey },
    answerBytes: ANSWER_BYTES,
    pauses: 'path',
  })
