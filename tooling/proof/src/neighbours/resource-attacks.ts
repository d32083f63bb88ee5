import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What attackers have: the address of a target, and an organisation of their own. */
export interface ResourceAttacker {
  readonly url: string
  readonly key: string
  readonly endpointId: string
  readonly routeId: string
  readonly seed: number
}

/** One resource attack. Runs until the signal, at a bounded rate, and ignores what it gets. */
type Generator = (attacker: ResourceAttacker, stop: AbortSignal) => Promise<unknown>

const HOSTILE = [
  `{"a":${'['.repeat(45_000)}${']'.repeat(45_000)}}`,
  `{"a":[${Array.from({ length: 7 }, () => `${'{"a":'.repeat(2300)}1${'}'.repeat(2300)}`).join()}],"b":"\\u0000"}`,
  `{${Array.from({ length: 8000 }, (_, index) => `"k${index}":0`).join()}}`,
]

let sent = 0

/** Sends requests from several clients, each waiting for its reply and then for the pause. */
async function clients(
  count: number,
  pauseMs: number,
  stop: AbortSignal,
  send: (number: number) => Promise<Response>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, client) => {
      for (let n = client; !stop.aborted; n += count) {
        sent++
        const reply = await send(n).catch(() => undefined)
        await reply?.arrayBuffer().catch(() => undefined)
        await sleep(pauseMs)
      }
    }),
  )
}

const post = (url: string, path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

/** The attacks of the adversarial test that found them, in its order. */
const generators: Readonly<Record<string, Generator>> = {
  'deep and wide bodies, without a credential': ({ url, seed }, stop) =>
    clients(2, 20, stop, (n) => post(url, '/v1/auth/login', HOSTILE[(n + seed) % HOSTILE.length] ?? '{}')),
  'parallel dry runs over many events': ({ url, key, endpointId }, stop) =>
    clients(40, 200, stop, (n) =>
      post(url, `/v1/webhooks/${endpointId}/recover`, '{"since":"2026-01-01T00:00:00Z","dryRun":true}', {
        authorization: `Bearer ${key}`,
        'idempotency-key': `dry-${n}-${performance.now()}`,
      }),
    ),
  'deposit syncs of one route': ({ url, key, routeId }, stop) =>
    clients(2, 50, stop, (n) =>
      post(url, `/v1/payment-routes/${routeId}/deposits/sync`, '', {
        authorization: `Bearer ${key}`,
        'idempotency-key': `sync-${n}-${performance.now()}`,
      }),
    ),
  'pipelined requests that are not read': async ({ url }, stop) => {
    const sockets = Array.from({ length: 10 }, () =>
      held(url, 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60)),
    )
    await ended(stop)
    for (const socket of sockets) socket.destroy()
  },
  'many idle connections': async ({ url }, stop) => {
    const sockets: Socket[] = []
    while (!stop.aborted) {
      while (sockets.length < 200) sockets.push(held(url, ''))
      await sleep(200)
      for (const socket of sockets.splice(0, 20)) socket.destroy()
    }
    for (const socket of sockets) socket.destroy()
  },
}

/** A connection that sends this and reads nothing. */
function held(url: string, text: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  if (text) socket.write(text)
  return socket.pause()
}

const ended = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })

/** Runs every resource attack until the signal. Returns how many requests were sent. */
export async function attackResources(attacker: ResourceAttacker, stop: AbortSignal): Promise<number> {
  sent = 0
  await Promise.all(Object.values(generators).map((run) => run(attacker, stop)))
  return sent
}
