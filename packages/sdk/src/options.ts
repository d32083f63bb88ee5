/** How a client reaches the service, and what holds for all of its requests. */
export interface PaymentsOptions extends Defaults {
  /** The address of the service, such as `https://payments.example.com`, with or without `/v1`. */
  readonly url: string
  /**
   * A secret key (`svc_test_…`, `svc_live_…`), or in a browser a publishable key (`svc_pk_…`). Without one only the public operations
   * of the pay page answer.
   */
  readonly apiKey?: string
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Called before each attempt, repeated ones too. */
  readonly onRequest?: (request: RequestInfo) => void
  /** Called after each attempt, with its reply or with the error that took its place. */
  readonly onResponse?: (response: ResponseInfo) => void
}

/** Checks the options of a client, for programs without types. @throws TypeError with a sentence that names the option */
export function checkOptions(options: PaymentsOptions | undefined): void {
  const wrong = (name: string, right: string): never => {
    throw new TypeError(`The option ${name} of Payments must be ${right}`)
  }
  const { url, apiKey, ...rest } = Object(options) as PaymentsOptions
  const isAddress = typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url)
  if (!isAddress) wrong('url', 'the address of the service, such as "https://payments.example.com"')
  const isKey = apiKey === undefined || (typeof apiKey === 'string' && /^[!-~]*$/.test(apiKey))
  if (!isKey) wrong('apiKey', 'an API key without spaces, such as "svc_test_…"; leave it out for the pay page')
  for (const name of ['fetch', 'onRequest', 'onResponse'] as const)
    if (rest[name] !== undefined && typeof rest[name] !== 'function') wrong(name, 'a function')
  for (const name of ['timeoutMs', 'deadlineMs'] as const)
    if (rest[name] !== undefined && !(Number(rest[name]) > 0)) wrong(name, 'a number of milliseconds above 0')
  if (rest.maxRetries !== undefined && !(Number.isInteger(rest.maxRetries) && rest.maxRetries >= 0))
    wrong('maxRetries', 'a whole number, 0 or more')
}

interface Defaults {
  /** Milliseconds until one attempt is given up and repeated; 30,000 by default. */
  readonly timeoutMs?: number
  /** Milliseconds for all attempts of a request together; 120,000 by default. */
  readonly deadlineMs?: number
  /** How often a failed attempt is repeated at most; 4 by default. */
  readonly maxRetries?: number
}

/** What may be chosen for a single request. */
export interface RequestOptions extends Defaults {
  /** Ends the request and its repetitions. The error is the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * Names the change, so that a program that starts again does not do it twice. By default a new key for each call, which is kept
   * over its repetitions.
   */
  readonly idempotencyKey?: string
  /** Your id of the request, 1 to 128 visible ASCII characters. The service repeats it in its reply, its logs and the request log. */
  readonly requestId?: string
}

/** An attempt that is about to be sent. */
export interface RequestInfo {
  readonly method: string
  readonly url: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** The headers as they are sent; they may be added to. */
  readonly headers: Headers
}

/** An attempt that has ended. */
export interface ResponseInfo extends RequestInfo {
  readonly durationMs: number
  /** Absent where the service did not answer. */
  readonly status?: number
  readonly requestId?: string
  /** Absent after a success. */
  readonly error?: unknown
}

/** Facts about the reply that a result came with. */
export interface LastResponse {
  readonly status: number
  /** Quote it when you ask the operator of the service about the request. */
  readonly requestId: string | undefined
  readonly headers: Headers
  /** Of a change: the key under which the service remembers it. */
  readonly idempotencyKey: string | undefined
  /** True if the service had executed the request before and answered with the reply of that time. */
  readonly replayed: boolean
  /** How many attempts were made, the successful one included. */
  readonly attempts: number
}

/** A result, with the facts about its reply in a property that is not enumerated and not in its JSON. */
export type Result<T> = T & { readonly lastResponse: LastResponse }
