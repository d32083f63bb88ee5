import type { z } from 'zod'
import { JupiterError } from './errors.ts'
import { type HttpOptions, httpClient } from './http.ts'
import { Build, Order, Problem } from './wire.ts'

export interface JupiterOptions extends HttpOptions {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Jupiter's words for an amount that nobody swaps. */
const NO_ROUTE = /no routes? found|could.?not.?find.?any.?route|no_routes_found|failed to get quotes|not.?tradable/i

export interface JupiterClient {
  order(query: Record<string, string>): Promise<z.output<typeof Order> | 'no_route'>
  build(query: Record<string, string>): Promise<z.output<typeof Build> | 'no_route'>
}

/** Client of Jupiter's Swap API V2. Both calls only read. @throws JupiterError, or the breaker's own error while it is open */
export function jupiterClient(options: JupiterOptions): JupiterClient {
  const http = httpClient(options)
  const get = <T extends z.ZodType>(path: string, query: Record<string, string>, shape: T) =>
    http.reads.execute(async (): Promise<z.output<T> | 'no_route'> => {
      const url = new URL(path, options.baseUrl)
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      const { status, body } = await http.call(url, {
        headers: { 'x-api-key': options.apiKey, accept: 'application/json' },
      })
      if (status === 400 && NO_ROUTE.test(Problem.safeParse(body).data?.error ?? '')) return 'no_route'
      if (status !== 200) throw new JupiterError('rejected', `Status ${status}`)
      const known = shape.safeParse(body)
      if (!known.success) throw new JupiterError('unreadable', 'Not the documented shape', { cause: known.error })
      return known.data
    })
  return {
    order: (query) => get('/swap/v2/order', query, Order),
    build: (query) => get('/swap/v2/build', query, Build),
  }
}
