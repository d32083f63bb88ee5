import { type Runtime, TraceKind, traced } from '@payments/platform'
import { Agent, errors, request } from 'undici'
import type { z } from 'zod'
import { guardedConnector } from '../endpoints/connector.ts'
import { targetNames } from '../endpoints/resolve.ts'
import { secretContext } from '../endpoints/service.ts'
import { CHALLENGE, challengeOf, signedHeaders } from '../endpoints/signature.ts'
import { checkUrl, NameNotFound, TargetRefused } from '../endpoints/target.ts'
import type { DeliveryAttempt } from '../queue/queue.ts'
import type { Attempt } from '../schemas.ts'
import { webhooksSettings } from '../settings.ts'
import { retryAfterSeconds } from './schedule.ts'

/** A receiver must answer within about 10 seconds (specification, Registration). */
const TIMEOUT_MS = 10_000
const KEPT_BYTES = 4096
/** How long a connection stays open for the next event, ms: a new one costs a receiver far away three times the way of the event itself. */
const KEPT_OPEN_MS = 30_000
/** How long a body may take after the status was received, ms. */
const BODY_MS = 1000

/** An attempt and its outcome. */
export interface Sent {
  readonly attempt: z.infer<typeof Attempt>
  /** No further attempt can succeed: the target may not be called. */
  readonly final: boolean
  /** The receiver answered 410: it wants no more events. */
  readonly gone: boolean
  readonly retryAfter: number | undefined
  /** The receiver answered the challenge. */
  readonly proven: boolean
}

/** Sends attempts over connections to checked addresses; development targets are exempt from the check. */
export function createSender(runtime: Runtime) {
  const options = { keepAliveTimeout: KEPT_OPEN_MS, headersTimeout: TIMEOUT_MS, allowH2: false }
  const direct = new Agent({ ...options, connect: { timeout: TIMEOUT_MS } })
  const guarded = {
    test: new Agent({ ...options, connect: connector('test') }),
    live: new Agent({ ...options, connect: connector('live') }),
  }
  function connector(environment: DeliveryAttempt['environment']) {
    return guardedConnector((name) => runtime.providers.get(targetNames, environment)(name), TIMEOUT_MS)
  }

  async function post(
    delivery: DeliveryAttempt,
    at: Date,
  ): Promise<Omit<Sent, 'attempt'> & { status: number; body: string }> {
    const { url, exempt } = checkUrl(delivery.url, webhooksSettings.from(runtime.settings).WEBHOOK_DEV_TARGETS)
    const secrets = delivery.secrets.map((box) => runtime.keyring.decrypt(box, secretContext(delivery.endpointId)))
    const challenge = delivery.proven ? undefined : challengeOf(secrets[0] ?? '', delivery.id)
    const answer = await request(url, {
      method: 'POST',
      dispatcher: exempt ? direct : guarded[delivery.environment],
      headers: {
        ...signedHeaders({ ...delivery, secrets, deliveryId: delivery.id, at }),
        ...(challenge ? { [CHALLENGE]: challenge } : {}),
      },
      body: delivery.body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return {
      status: answer.statusCode,
      body: await beginning(answer.body),
      final: false,
      gone: answer.statusCode === 410,
      proven:
        challenge !== undefined &&
        reasonOf(answer.statusCode) === null &&
        header(answer.headers[CHALLENGE]) === challenge,
      retryAfter: retryAfterSeconds(header(answer.headers['retry-after'])),
    }
  }

  return {
    async send(delivery: DeliveryAttempt): Promise<Sent> {
      const at = new Date()
      const started = performance.now()
      const written = (status: number | null, body: string | null, error: string | null): Sent['attempt'] => ({
        attemptedAt: at.toISOString(),
        responseStatus: status,
        responseBody: body,
        error,
        durationMs: Math.round(performance.now() - started),
      })
      try {
        const attributes = { 'payments.delivery_id': delivery.id }
        const { status, body, ...rest } = await traced(
          'webhook delivery',
          { kind: TraceKind.CLIENT, attributes },
          async (span) => {
            const sent = await post(delivery, at).catch((error) => {
              if (!wasClosedIdle(error)) throw error
              return post(delivery, at)
            })
            span.setAttribute('http.response.status_code', sent.status)
            return sent
          },
        )
        return { ...rest, attempt: written(status, body, reasonOf(status)) }
      } catch (error) {
        const final = error instanceof TargetRefused || (error as Error).name === 'ServiceError'
        return {
          attempt: written(null, null, sentence(error)),
          final,
          gone: false,
          proven: false,
          retryAfter: undefined,
        }
      }
    },
    close: () => Promise.all([direct, guarded.test, guarded.live].map((agent) => agent.destroy())),
  }
}

/**
 * The receiver closed a connection that had been used before, while this request was on its way: servers close what is idle when they like.
 * It is sent once more, over a new connection (RFC 9112, 9.3.1); a receiver recognises the delivery by its id.
 */
const wasClosedIdle = (error: unknown): boolean =>
  error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0

const header = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** The first 4 kB as text that PostgreSQL can keep. A body that stalls or is truncated does not change the outcome. */
async function beginning(
  body: AsyncIterable<Buffer> & { destroy(): unknown; on(name: 'error', listener: () => void): unknown },
) {
  const chunks: Buffer[] = []
  let length = 0
  body.on('error', () => undefined)
  const impatience = setTimeout(() => body.destroy(), BODY_MS)
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length > KEPT_BYTES) break
    }
  } catch {
    // Keep what was received.
  } finally {
    clearTimeout(impatience)
  }
  const kept = Buffer.concat(chunks).subarray(0, KEPT_BYTES)
  return new TextDecoder().decode(kept, { stream: length > KEPT_BYTES }).replaceAll('\0', '')
}

function reasonOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `Answered ${status}: redirects are not followed`
  return `Answered ${status}`
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'The connection was reset',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The network cannot be reached',
  EPIPE: 'The connection was closed',
  ETIMEDOUT: 'No response within 10 seconds',
  UND_ERR_CONNECT_TIMEOUT: 'No connection within 10 seconds',
  UND_ERR_HEADERS_TIMEOUT: 'No response within 10 seconds',
  UND_ERR_SOCKET: 'The connection was closed',
}

/** The error for the merchant: without addresses, stacks or internals. */
function sentence(error: unknown): string {
  const { name, code, errors } = error as Error & { code?: unknown; errors?: readonly unknown[] }
  if (error instanceof TargetRefused || error instanceof NameNotFound) return (error as Error).message
  if (name === 'ServiceError') return 'The URL may not be called'
  if (name === 'TimeoutError') return 'No response within 10 seconds'
  if (errors?.[0]) return sentence(errors[0])
  if (typeof code !== 'string') return 'The request failed'
  return (
    SENTENCES[code] ??
    (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)
      ? `The TLS certificate or handshake failed (${code})`
      : `The request failed (${code})`)
  )
}
