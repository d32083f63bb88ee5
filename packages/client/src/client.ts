import type { AppRouter } from '@payments/api'
import { createTRPCClient, getUntypedClient, httpBatchLink, type TRPCClient } from '@trpc/client'
import { typedErrors } from './errors.ts'

/** What the gateway accepts: calls in one batch, and characters in a URL. */
const BATCH = 20
const URL_LENGTH = 8000

export interface ClientOptions {
  /** The address of the service, such as `https://payments.example.com`; a trailing `/v1` is ignored. */
  readonly url: string
  /**
   * The access token of a dashboard session, or an internal token. A function is asked before every request, so it may refresh
   * a session. Absent in the dashboard: its browser sends a cookie.
   */
  readonly token?: string | (() => string | Promise<string>)
  /** Where the procedures are served below the address: `/trpc` by default. */
  readonly path?: string
  /** The environment that a session acts in; `test` by default. */
  readonly environment?: 'test' | 'live'
  /** Sends a request in place of the global `fetch`. */
  readonly fetch?: (url: RequestInfo | URL, init?: RequestInit) => Promise<Response>
}

/** Every procedure of the service, with the types of its input and output. */
export type Client = TRPCClient<AppRouter>

/**
 * A typed client of every procedure. Calls that are made in the same turn of the event loop are sent together, at most 20 in a
 * batch; each of them succeeds or fails by itself.
 * @throws CallError from each call, never from here.
 */
export function createClient({ url, token, environment, path = '/trpc', fetch }: ClientOptions): Client {
  return createTRPCClient<AppRouter>({
    links: [
      typedErrors,
      httpBatchLink({
        url: `${baseOf(url)}${path}`,
        maxItems: BATCH,
        maxURLLength: URL_LENGTH,
        ...(fetch ? { fetch: (address, init) => fetch(address, init as RequestInit) } : {}),
        headers: async () => ({
          ...(token === undefined
            ? {}
            : { authorization: `Bearer ${typeof token === 'string' ? token : await token()}` }),
          ...(environment ? { 'x-service-environment': environment } : {}),
        }),
      }),
    ],
  })
}

/** The address without a trailing `/v1` or slash: where `/v1` and `/trpc` begin. */
export const baseOf = (url: string): string => url.replace(/\/+$/, '').replace(/\/v1$/, '')

/** A procedure that is known at run time only, by its name in the router, such as `admin.organisations.list`. */
export interface NamedProcedure {
  readonly name: string
  readonly type: 'query' | 'mutation'
}

/** Calls a procedure by its name, for tools that learn at run time which procedures there are. @throws CallError */
export function callByName(client: Client, { name, type }: NamedProcedure, input: unknown): Promise<unknown> {
  const untyped = getUntypedClient(client)
  return type === 'query' ? untyped.query(name, input) : untyped.mutation(name, input)
}
