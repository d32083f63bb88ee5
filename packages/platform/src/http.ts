import type { Runtime } from './context.ts'
import type { Log } from './log.ts'

/** An HTTP request of a provider. `body`: the bytes as received, since signatures cover them. */
export interface CallbackRequest {
  readonly body: Buffer
  header(name: string): string | undefined
}

/**
 * A route below `/v1/callbacks` that a provider calls. It is not an operation of the API: the signature covers the bytes,
 * and the provider defines the format. A callback only triggers work; amounts and statuses in it are never trusted.
 */
export interface Callback {
  /** For example `/payment-routes`. */
  readonly path: `/${string}`
  /**
   * `received`: signed and handled. `unsigned`: answered with 401 and counted against the caller's rate limit.
   * `unavailable`: no provider is configured (404).
   */
  receive(runtime: Runtime, request: CallbackRequest): Promise<'received' | 'unsigned' | 'unavailable'>
}

/** A route outside `/v1` that a domain serves. */
export interface Page {
  readonly method: 'GET'
  readonly path: `/${string}`
  /** Scripts of every origin may read the reply. */
  readonly anyOrigin?: boolean
  respond(runtime: Runtime, request: PageRequest): Promise<PageReply>
}

export interface PageRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  header(name: string): string | undefined
  readonly log: Log
}

export interface PageReply {
  readonly status?: number
  readonly type: string
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** Which sites may frame it is in its Content-Security-Policy. Other replies may be framed by none. */
  readonly framed?: boolean
}
