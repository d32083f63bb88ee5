import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  call,
  HOSTILE_BODIES,
  manyScans,
  plainPng,
  type Sample,
  START_SESSION,
  samples,
  twoHeaders,
} from '@payments/stand'

/** What the organisation that misbehaves has. */
export interface Attacker {
  readonly url: string
  readonly key: string
  readonly endpointId: string
  readonly routeId: string
  readonly linkId: string
  /** A customer with cNGN and a small balance. */
  readonly customerId: string
  /** A paid session, whose receipt is public. */
  readonly sessionId?: string
}

/** One way of misbehaving: a request, the clients that repeat it at once, and how long each waits between two. */
interface Attack {
  readonly clients: number
  readonly pauseMs: number
  request(attacker: Attacker, number: number): readonly [line: string, body?: object | string]
}

const attack = (clients: number, pauseMs: number, request: Attack['request']): Attack => ({ clients, pauseMs, request })
const creation = ({ path, body }: Sample, given: object = {}) => [`POST ${path}`, body({ ...given })] as const
const DEEP = `{"name":"x","metadata":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}}`
const hostile = ['one deep chain', 'deep chains of objects', 'many keys'].map((name) => HOSTILE_BODIES[name] ?? '')
const LISTS = ['customers', 'events', 'payment-routes', 'swaps', 'offramps', 'notifications']
/** Over as many objects as {@link LISTS} have. */
const TOOLS = ['customers_list', 'paymentRoutes_list', 'swaps_list', 'offramps_list'].map((name) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: {} },
}))
const sync = ({ routeId }: Attacker) => `POST /v1/payment-routes/${routeId}/deposits/sync`
/** What images cost before they were read by their headers: a minute and a gigabyte, seconds, seconds, and a second for an honest one. */
const LOGOS = [twoHeaders(64, 10_000), twoHeaders(64, 3000), manyScans(4990), manyScans(20), plainPng(1024)].map(
  (file) => file.toString('base64'),
)
const dryRun = ({ endpointId }: Attacker) =>
  [`POST /v1/webhooks/${endpointId}/recover`, { since: '2026-01-01T00:00:00Z', dryRun: true }] as const

const attacks = {
  /** In every domain at once. Each kind runs at a bounded rate, so that the machine is not what is measured. */
  domains: {
    'the longest lists': attack(4, 200, (_, number) => [`GET /v1/${LISTS[number % LISTS.length]}`]),
    'agents over the longest lists': attack(2, 200, (_, number) => ['POST /mcp', TOOLS[number % TOOLS.length]]),
    exports: attack(2, 300, () => ['GET /v1/events/export']),
    'deep and wide bodies': attack(2, 100, (_, number) => [
      'POST /v1/customers',
      number % 2 === 0 ? DEEP : HOSTILE_BODIES['many keys'],
    ]),
    'customers and timelines': attack(2, 100, ({ customerId }, number) =>
      number % 2 === 0 ? creation(samples.customer, { name: 'x'.repeat(100) }) : [`GET /v1/timeline/${customerId}`],
    ),
    'payment routes, each with an event for every slow endpoint': attack(2, 100, () => creation(samples.route)),
    'deposits and syncs of one route': attack(4, 100, (attacker, number) =>
      number % 2 === 0 ? samples.route.fund(attacker.routeId) : [sync(attacker)],
    ),
    'open swaps': attack(2, 100, () => creation(samples.swap)),
    'open orders': attack(2, 100, () => creation(samples.offramp)),
    'money out of one account in parallel': attack(16, 200, ({ customerId }) =>
      creation(samples.payout, { customerId }),
    ),
    'open checkout sessions': attack(4, 100, ({ linkId }) => [`POST /v1/pay/${linkId}`, START_SESSION]),
    'replays of every event': attack(2, 300, dryRun),
    'the sandbox clock, again and again': attack(2, 100, () => ['POST /v1/sandbox/advance', { seconds: 1 }]),
    'sign-in codes': attack(1, 200, (_, number) => ['POST /v1/auth/login', { email: `nobody-${number}@example.com` }]),
  },
  /** Those of an adversarial test that took what all organisations share. */
  resources: {
    'hostile bodies, without a credential': attack(2, 20, (_, number) => [
      'POST /v1/auth/login',
      hostile[number % hostile.length] ?? '',
    ]),
    'parallel dry runs over many events': attack(40, 200, dryRun),
    'deposit syncs of one route': attack(2, 50, (attacker) => [sync(attacker), '']),
  },
  /** What one request may cost: documents and images. */
  costs: {
    'receipts in Chinese, for four strangers': attack(4, 0, ({ sessionId }) => [
      `GET /pay/${sessionId}/receipt.pdf?lang=zh`,
    ]),
    'another name, with which every receipt is another document': attack(1, 100, (_, number) => [
      'PATCH /v1/branding',
      { displayName: `Ada ${number}` },
    ]),
    'hostile and large logos': attack(2, 100, (_, number) => [
      'PUT /v1/branding/logo',
      { image: LOGOS[number % LOGOS.length] },
    ]),
  },
} as const satisfies Record<string, Record<string, Attack>>

export type Target = keyof typeof attacks

/** Runs every attack on a target until the signal, and ignores the replies. Returns how many requests were sent. */
export async function runAttacks(target: Target, attacker: Attacker, stop: AbortSignal): Promise<number> {
  let sent = 0
  const client = async ({ clients, pauseMs, request }: Attack, first: number) => {
    for (let number = first; !stop.aborted; number += clients) {
      const [line, body] = request(attacker, number)
      const isPublic = /\/v1\/(pay|auth)\/|^GET \/pay\//.test(line)
      sent++
      await call(attacker, line, {
        body,
        signal: AbortSignal.any([stop, AbortSignal.timeout(20_000)]),
        headers: {
          'x-forwarded-for': `198.51.100.${number % 250}`,
          accept: 'application/json, text/event-stream',
        },
        token: isPublic ? null : attacker.key,
        ...(isPublic ? { key: null } : {}),
      }).catch(() => undefined)
      await sleep(pauseMs)
    }
  }
  const requests = Object.values<Attack>(attacks[target]).flatMap((each) =>
    Array.from({ length: each.clients }, (_, first) => client(each, first)),
  )
  const connections =
    target === 'resources'
      ? [holdUnread(attacker.url, stop), holdIdle(attacker.url, stop)]
      : target === 'domains'
        ? [trickle(attacker, stop)]
        : []
  await Promise.all([...requests, ...connections])
  return sent
}

/** Pipelined requests whose replies are not read. */
async function holdUnread(url: string, stop: AbortSignal): Promise<void> {
  const sockets = Array.from({ length: 10 }, () =>
    held(url, 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60)),
  )
  while (!stop.aborted) await sleep(200)
  for (const socket of sockets) socket.destroy()
}

/** Exports that are read a kilobyte at a time, and event streams that are opened and left, each replaced after seconds. */
async function trickle({ url, key }: Attacker, stop: AbortSignal): Promise<void> {
  const { host } = new URL(url)
  const asked = (path: string) =>
    held(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  const sockets: Socket[] = []
  while (!stop.aborted) {
    while (sockets.length < 12)
      sockets.push(asked(sockets.length % 3 === 0 ? '/v1/events/stream' : '/v1/events/export'))
    for (let beat = 0; beat < 20 && !stop.aborted; beat++) {
      for (const socket of sockets) socket.read(1024)
      await sleep(200)
    }
    for (const socket of sockets.splice(0, 3)) socket.destroy()
  }
  for (const socket of sockets) socket.destroy()
}

/** Many idle connections, some of them new. */
async function holdIdle(url: string, stop: AbortSignal): Promise<void> {
  const sockets: Socket[] = []
  while (!stop.aborted) {
    while (sockets.length < 200) sockets.push(held(url, ''))
    await sleep(200)
    for (const socket of sockets.splice(0, 20)) socket.destroy()
  }
  for (const socket of sockets) socket.destroy()
}

/** A connection that sends this and reads nothing. */
function held(url: string, text: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  if (text) socket.write(text)
  return socket.pause()
}
