import { createKeyFor, foundOrganisation } from '@payments/fixtures'
import { type Environment, newId } from '@payments/kernel'
import type { TestService } from './service.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
  readonly text: string
}

export interface Call {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** The idempotency key; a new one by default, none when null. */
  readonly key?: string | null
  /** The credential; the merchant's key by default, none when null. */
  readonly token?: string | null
}

export interface Merchant {
  readonly organisationId: string
  readonly environment: Environment
  readonly key: string
  call(line: string, options?: Call): Promise<Answer>
}

/** One request, as an HTTP client sends it. `line` is like `POST /v1/customers`. */
export async function call(
  service: Pick<TestService, 'url'>,
  line: string,
  options: Call & { token?: string | null } = {},
): Promise<Answer> {
  const [method, path] = line.split(' ') as [string, string]
  const headers: Record<string, string> = { ...options.headers }
  if (options.token) headers.authorization = `Bearer ${options.token}`
  if (method !== 'GET' && options.key !== null) headers['idempotency-key'] = options.key ?? newId()
  if (options.body !== undefined && !headers['content-type']) headers['content-type'] = 'application/json'
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(options.body === undefined
      ? {}
      : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
  })
  const text = await textOf(answer)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  return { status: answer.status, headers: answer.headers, body, text }
}

/** The body of a reply; of an event stream, which does not end by itself, the first piece. */
async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text()
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

/** A new organisation with a secret key. */
export async function newMerchant(
  service: TestService,
  options: { environment?: Environment; scopes?: readonly string[]; organisationId?: string } = {},
): Promise<Merchant> {
  const environment = options.environment ?? 'test'
  const organisationId = options.organisationId ?? (await foundOrganisation(service.runtime))
  const key = await createKeyFor(service.runtime, {
    organisationId,
    environment,
    scopes: options.scopes ?? ['api:read', 'api:write'],
  })
  return {
    organisationId,
    environment,
    key,
    call: (line, given = {}) => call(service, line, { token: key, ...given }),
  }
}
