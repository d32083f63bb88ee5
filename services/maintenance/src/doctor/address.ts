import { isIP } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { unnamedProxy } from '@payments/gateway'
import { callbackPath, cellText } from '@payments/kernel'
import { type Diagnosis, diagnose, hitsOf, platformSettings, type Settings } from '@payments/platform'
import type { Pool } from 'pg'
import { z } from 'zod'

const TIMEOUT_MS = 10_000
const DAY_MS = 86_400_000
/** A certificate that ends sooner is worth a warning, days. */
const SOON = 14
/** An address for documentation (RFC 5737): only a header that a client made up can name it. */
const MADE_UP = '192.0.2.77'

const Health = z.object({ status: z.string(), env: z.string() })
const Envelope = z.object({ status: z.literal('error'), message: z.string() })

/** What a merchant and a provider meet at BASE_URL: certificate, proxy, this installation behind it, callbacks. */
export async function diagnoseAddress(
  settings: Settings,
  pool: Pool | undefined,
  callbacks: readonly string[],
): Promise<Diagnosis[]> {
  const { BASE_URL, CELL, ENV_NAME } = platformSettings.from(settings)
  if (!BASE_URL) return [{ check: 'address', status: 'skipped', message: 'BASE_URL is not set' }]
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${BASE_URL}${path}`, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS), ...init }).catch(
      (error: Error) => {
        throw new Error(`${BASE_URL} does not answer (${(error.cause as Error | undefined)?.message ?? error.message})`)
      },
    )
  const proxy = 'Compare the proxy with docs/operators/running.md'
  const health = await diagnose(
    'address: this installation',
    async () => {
      const answer = await get('/health')
      const known = Health.safeParse(await answer.json().catch(() => undefined)).data
      if (!known)
        return {
          status: 'failed',
          message: `${BASE_URL}/health is answered by another server (status ${answer.status})`,
          action: proxy,
        }
      if (known.status !== 'ok')
        return {
          status: 'failed',
          message: 'It answers that it cannot reach its database',
          action: 'See the checks of the database',
        }
      if (known.env === ENV_NAME) return `${BASE_URL} is answered by ${ENV_NAME}`
      return {
        status: 'failed',
        message: `${BASE_URL} is answered by the installation ${known.env}, not ${ENV_NAME}`,
        action: proxy,
      }
    },
    'Start the service, and compare BASE_URL with the proxy and the DNS record',
  )
  if (health.status === 'failed')
    return [
      health,
      { check: 'address: proxy, certificate and callbacks', status: 'skipped', message: 'The first request failed' },
    ]
  const url = new URL(BASE_URL)
  const secure = url.protocol === 'https:'
  return [
    health,
    ...(secure
      ? [
          await diagnose('address: certificate', () => certificate(url), 'Renew it'),
          await diagnose('address: without TLS', () => withoutTls(url)),
          await diagnose('address: HSTS', async () => {
            const { headers } = await get('/health')
            if (headers.get('strict-transport-security')) return headers.get('strict-transport-security') as string
            return {
              status: 'warning',
              message: 'The proxy removes Strict-Transport-Security',
              action: 'Let it pass, or set it in the proxy',
            }
          }),
        ]
      : []),
    await diagnose('address: proxy', async () => {
      const answer = await get('/v1/auth/me')
      const { message = '' } = Envelope.safeParse(await answer.json().catch(() => undefined)).data ?? {}
      if (answer.status === 401 && message) return 'Requests arrive, and the proxy says that they came over HTTPS'
      if (answer.status === 403 && message === 'HTTPS is required')
        return {
          status: 'failed',
          message: unnamedProxy.message,
          action: 'Compare TRUST_PROXY with the address of the proxy, and let it set X-Forwarded-Proto',
        }
      return {
        status: 'failed',
        message: `GET /v1/auth/me is answered with ${answer.status}, not by this service`,
        action: proxy,
      }
    }),
    pool
      ? await diagnose('address: made-up client addresses', () => madeUp(get, pool))
      : { check: 'address: made-up client addresses', status: 'skipped', message: 'The database is not reached' },
    ...(await Promise.all(
      callbacks.map((name) =>
        diagnose(`address: callbacks of ${name}`, async () => {
          const plain = `/v1/callbacks/${name}`
          const path = CELL === 0 ? plain : callbackPath(plain, cellText(CELL))
          const answer = await get(path, {
            method: 'POST',
            body: '{}',
            headers: { 'content-type': 'application/json' },
          })
          const known = Envelope.safeParse(await answer.json().catch(() => undefined)).data
          if (known && answer.status === 401)
            return `${BASE_URL}${path} arrives; a callback without a signature is refused`
          return {
            status: 'failed',
            message: `${BASE_URL}${path} is answered with ${answer.status}`,
            action: `${proxy}: it must pass POST requests to ${path} unchanged`,
          }
        }),
      ),
    )),
  ]
}

function certificate(url: URL) {
  return new Promise<string | { status: 'warning'; message: string; action: string }>((resolve, reject) => {
    const host = url.hostname
    const named = isIP(host) ? {} : { servername: host }
    const socket = connect({ host, port: Number(url.port || 443), timeout: TIMEOUT_MS, ...named })
    socket.on('error', reject)
    socket.on('timeout', () => socket.destroy(new Error('No answer')))
    socket.on('secureConnect', () => {
      const { valid_to: end }: PeerCertificate = socket.getPeerCertificate()
      socket.destroy()
      const days = Math.floor((Date.parse(end) - Date.now()) / DAY_MS)
      const message = `The certificate ends in ${days} days`
      resolve(days >= SOON ? message : { status: 'warning', message, action: 'Renew it' })
    })
  })
}

/** Port 80 of the same host: closed, or sending everybody to HTTPS. */
async function withoutTls({ hostname }: URL) {
  const answer = await fetch(`http://${hostname}/health`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  if (!answer) return 'Port 80 does not answer'
  const to = answer.headers.get('location') ?? ''
  if (answer.status >= 300 && answer.status < 400 && to.startsWith('https://')) return 'Port 80 redirects to HTTPS'
  return {
    status: 'warning' as const,
    message: `Port 80 answers with ${answer.status}`,
    action: 'Redirect it to HTTPS, or close it',
  }
}

/**
 * A client that can choose its own address has no rate limit: a header that it sends must not become the address that is counted. The
 * request is counted like any other.
 */
async function madeUp(get: (path: string, init?: RequestInit) => Promise<Response>, pool: Pool) {
  const before = await hitsOf(pool, MADE_UP)
  await get('/health', { headers: { 'x-forwarded-for': MADE_UP, forwarded: `for=${MADE_UP}` } })
  if ((await hitsOf(pool, MADE_UP)) === before) return 'The proxy replaces addresses that a client makes up'
  return {
    status: 'failed' as const,
    message: 'A client can make up its address: the proxy passes on its X-Forwarded-For',
    action: 'Let the proxy replace the header, or append to it and name only the proxy in TRUST_PROXY',
  }
}
