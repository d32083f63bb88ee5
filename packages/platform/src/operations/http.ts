import type { ErrorFactory, Port, Provider } from '@payments/kernel'
import type { Log } from '../settings/log.ts'
import type { Runtime } from './context/context.ts'

/** An HTTP request of a provider. `body`: the bytes as received, since signatures cover them. */
export interface CallbackRequest {
  readonly body: Buffer
  header(name: string): string | undefined
}

/**
 * What the live providers of a port call: `/v1/callbacks/` with the name of the provider. It is not an operation of the API: the
 * signature covers the bytes, and the provider defines the format. A callback only triggers work; amounts and statuses in it are
 * never trusted.
 */
export interface Callback {
  readonly port: Port<Provider>
  /** A path of every provider of the port, from before each had its own; for example `/payment-routes`. */
  readonly path: `/${string}`
  /** `received`: signed and handled. `unsigned`: answered with 401 and counted against the caller's rate limit. */
  receive(runtime: Runtime, provider: Provider, request: CallbackRequest): Promise<'received' | 'unsigned'>
}

/** A provider that may sign callbacks, and reads them: undefined for one that it did not sign. */
interface CallingProvider<Report> extends Provider {
  callback?(request: CallbackRequest): Report | undefined
}

/** Declares the callbacks of a port. `apply` gets what a signed one is about. */
export const callbackOf = <Report, P extends CallingProvider<Report>>(
  port: Port<P>,
  path: Callback['path'],
  apply: (runtime: Runtime, provider: P, report: Report) => Promise<void>,
): Callback => ({
  port: port as unknown as Port<Provider>,
  path,
  async receive(runtime, provider, request) {
    const report = (provider as P).callback?.(request)
    if (!report) return 'unsigned'
    await apply(runtime, provider as P, report)
    return 'received'
  },
})

/** A route outside `/v1` that a domain serves. */
export interface Page {
  readonly method: 'GET' | 'POST'
  readonly path: `/${string}`
  /** Scripts of every origin may read the reply. */
  readonly anyOrigin?: boolean
  /** It is a document that is made, which counts as many views as it costs. */
  readonly document?: boolean
  /** The errors that `respond` answers, beside those of any request. */
  readonly errors?: readonly ErrorFactory[]
  respond(runtime: Runtime, request: PageRequest): Promise<PageReply>
  /** What a browser shows where `respond` could not answer: too many requests, or the service is busy. The status is that of the failure. */
  failed?(failure: PageFailure, request: PageRequest): PageReply
}

export interface PageFailure {
  readonly status: number
  /** Seconds after which another attempt may succeed. */
  readonly retryAfter: number | undefined
}

export interface PageRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  header(name: string): string | undefined
  /** The address of a script of the service, which changes with its content. */
  script(path: string): string
  /** The JSON object that was sent. @throws ServiceError 400, 413, 415, 422: see the API */
  body(): Promise<Readonly<Record<string, unknown>>>
  /** Aborted when the client has left. */
  signal(): AbortSignal
  readonly log: Log
}

export interface PageReply {
  readonly status?: number
  readonly type: string
  readonly body: string | Buffer
  /** Clients may keep it, and ask before each use whether it is still the same: it gets an `ETag` of its bytes. */
  readonly etag?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Which sites may frame it is in its Content-Security-Policy. Other replies may be framed by none. */
  readonly framed?: boolean
}
