import { type HttpTiming, httpClient } from '@payments/provider-http'
import { z } from 'zod'
import { enveloped } from './wire.ts'

export interface PaycrestOptions extends HttpTiming {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  /** Polls a minute, over all processes. */
  readonly requestsPerMinute: number
  /** Quotes, new orders and account checks a minute, over all processes. */
  readonly newRequestsPerMinute?: number
  /** The largest order, in stablecoin. */
  readonly maxOrder: number
  /** Timeout of an account check, ms: Paycrest asks the bank, which may take 50 s. */
  readonly accountTimeoutMs?: number
  /** How long currencies, tokens and banks are cached, ms. */
  readonly offersMs?: number
}

export interface PaycrestClient {
  /** False while the circuit breaker is open. */
  isAvailable(): boolean
  /** A GET, repeated at most twice after a transient error. */
  get<T extends z.ZodType>(path: string, query: Record<string, string>, shape: T): Promise<z.output<T>>
  /** A POST, sent once. It may depend on a bank, so the circuit breaker ignores it. */
  post<T extends z.ZodType>(path: string, body: object, shape: T, timeoutMs?: number): Promise<z.output<T>>
}

const ANSWER_BYTES = 5_000_000
const TIMEOUT_MS = 15_000

const Limited = z.object({ data: z.object({ retry_after: z.coerce.number() }) })

/** HTTP client of Paycrest, which counts all calls of a client address together, and answers in an envelope. */
export function paycrestClient({
  baseUrl,
  apiKey,
  timeoutMs = TIMEOUT_MS,
  retryMs,
  restMs,
}: PaycrestOptions): PaycrestClient {
  const http = httpClient({
    ...(retryMs === undefined ? {} : { retryMs }),
    ...(restMs === undefined ? {} : { restMs }),
    timeoutMs,
    baseUrl,
    headers: { 'API-Key': apiKey },
    answerBytes: ANSWER_BYTES,
    pauses: 'all',
    pauseOf: (body) => Limited.safeParse(body).data?.data.retry_after,
  })
  const dataOf = <T>(answer: unknown): T => (answer as { data: T }).data
  return {
    isAvailable: http.isAvailable,
    get: async (path, query, shape) => dataOf(await http.get(path, query, enveloped(shape))),
    post: async (path, body, shape, ms) => dataOf(await http.postApart(path, body, enveloped(shape), ms)),
  }
}
