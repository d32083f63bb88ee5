import { type HttpTiming, httpClient, ProviderError } from '@payments/provider-http'
import type { z } from 'zod'
import { Build, Order, Problem } from './wire.ts'

export interface JupiterOptions extends HttpTiming {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Jupiter's words for an amount that nobody swaps. */
const NO_ROUTE = /no routes? found|could.?not.?find.?any.?route|no_routes_found|failed to get quotes|not.?tradable/i

export interface JupiterClient {
  order(query: Record<string, string>): Promise<z.output<typeof Order> | 'no_route'>
  build(query: Record<string, string>): Promise<z.output<typeof Build> | 'no_route'>
}

const ANSWER_BYTES = 20_000_000

const isNoRoute = (error: unknown): boolean =>
  error instanceof ProviderError &&
  error.status === 400 &&
  NO_ROUTE.test(Problem.safeParse(error.body).data?.error ?? '')

/** Client of Jupiter's Swap API V2. Both calls only read. @throws ProviderError, or the breaker's own error while it is open */
export function jupiterClient({ apiKey, ...options }: JupiterOptions): JupiterClient {
  const http = httpClient({
    ...options,
    headers: { 'x-api-key': apiKey },
    answerBytes: ANSWER_BYTES,
    pauses: 'all',
    pauseOf,
  })
  const get = <T extends z.ZodType>(path: string, query: Record<string, string>, shape: T) =>
    http.get(path, query, shape).catch((error: unknown) => {
      if (isNoRoute(error)) return 'no_route' as const
      throw error
    })
  return {
    order: (query) => get('/swap/v2/order', query, Order),
    build: (query) => get('/swap/v2/build', query, Build),
  }
}

/** Seconds to wait: `Retry-After`, or Jupiter's `x-ratelimit-reset` in Unix seconds. */
function pauseOf(_body: unknown, headers: { get(name: string): string | null }): number | undefined {
  const after = Number(headers.get('retry-after') ?? Number.NaN)
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) - Date.now() / 1000
  return [after, reset].find((each) => Number.isFinite(each) && each > 0)
}
