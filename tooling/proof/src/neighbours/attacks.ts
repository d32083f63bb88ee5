import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import { type Sample, START_SESSION, samples } from '@payments/stand'

/** What the organisation that misbehaves has. */
export interface Attacker {
  readonly url: string
  readonly key: string
  readonly endpointId: string
  readonly linkId: string
  readonly routeId: string
  /** A customer with cNGN and a small balance. */
  readonly customerId: string
}

/** One way of misbehaving: a request, the clients that repeat it at once, and how long each waits between two. */
interface Attack {
  readonly clients: number
  readonly pauseMs: number
  request(attacker: Attacker, number: number): readonly [line: string, body?: object | string]
}

const creation = ({ path, body }: Sample, given: object = {}) => [`POST ${path}`, body({ ...given })] as const
const DEEP = `{"name":"x","metadata":${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}}`
const WIDE = `{${Array.from({ length: 8000 }, (_, index) => `"k${index}":0`).join()}}`

/** In every domain at once. Each kind runs at a bounded rate, so that the machine is not what is measured. */
const attacks: Readonly<Record<string, Attack>> = {
  'the longest lists': {
    clients: 4,
    pauseMs: 200,
    request: (_, number) => [
      `GET /v1/${['customers', 'events', 'payment-routes', 'swaps', 'offramps', 'notifications'][number % 6]}`,
    ],
  },
  exports: { clients: 2, pauseMs: 300, request: () => ['GET /v1/events/export'] },
  'deep and wide bodies': {
    clients: 2,
    pauseMs: 100,
    request: (_, number) => ['POST /v1/customers', number % 2 === 0 ? DEEP : WIDE],
  },
  'customers and timelines': {
    clients: 2,
    pauseMs: 100,
    request: ({ customerId }, number) =>
      number % 2 === 0 ? creation(samples.customer, { name: 'x'.repeat(100) }) : [`GET /v1/timeline/${customerId}`],
  },
  'payment routes, each with an event for every slow endpoint': {
    clients: 2,
    pauseMs: 100,
    request: () => creation(samples.route),
  },
  'deposits and syncs of one route': {
    clients: 4,
    pauseMs: 100,
    request: ({ routeId }, number) =>
      number % 2 === 0 ? samples.route.fund(routeId) : [`POST /v1/payment-routes/${routeId}/deposits/sync`],
  },
  'open swaps': {
    clients: 2,
    pauseMs: 100,
    request: () => creation(samples.swap),
  },
  'open orders': {
    clients: 2,
    pauseMs: 100,
    request: () => creation(samples.offramp),
  },
  'money out of one account in parallel': {
    clients: 16,
    pauseMs: 200,
    request: ({ customerId }) => creation(samples.payout, { customerId }),
  },
  'open checkout sessions': {
    clients: 4,
    pauseMs: 100,
    request: ({ linkId }) => [`POST /v1/pay/${linkId}`, START_SESSION],
  },
  'replays of every event': {
    clients: 2,
    pauseMs: 300,
    request: ({ endpointId }) => [
      `POST /v1/webhooks/${endpointId}/recover`,
      { since: '2026-01-01T00:00:00Z', dryRun: true },
    ],
  },
  'the sandbox clock, again and again': {
    clients: 2,
    pauseMs: 100,
    request: () => ['POST /v1/sandbox/advance', { seconds: 1 }],
  },
  'sign-in codes': {
    clients: 1,
    pauseMs: 200,
    request: (_, number) => ['POST /v1/auth/login', { email: `nobody-${number}@example.com` }],
  },
}

/** Runs every attack until the signal, and ignores the replies. Returns how many requests were sent. */
export async function attackDomains(attacker: Attacker, stop: AbortSignal): Promise<number> {
  let sent = 0
  const client = async ({ clients, pauseMs, request }: Attack, first: number) => {
    for (let number = first; !stop.aborted; number += clients) {
      const [line, body] = request(attacker, number)
      const [method, path] = line.split(' ') as [string, string]
      const isPublic = path.startsWith('/v1/pay/') || path.startsWith('/v1/auth/')
      sent++
      await fetch(`${attacker.url}${path}`, {
        method,
        signal: AbortSignal.any([stop, AbortSignal.timeout(20_000)]),
        headers: {
          'x-forwarded-for': `198.51.100.${number % 250}`,
          ...(isPublic ? {} : { authorization: `Bearer ${attacker.key}` }),
          ...(method === 'GET' || isPublic ? {} : { 'idempotency-key': newId() }),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
      })
        .then(
          (answer) => answer.arrayBuffer(),
          () => undefined,
        )
        .catch(() => undefined)
      await sleep(pauseMs)
    }
  }
  await Promise.all(
    Object.values(attacks).flatMap((attack) =>
      Array.from({ length: attack.clients }, (_, first) => client(attack, first)),
    ),
  )
  return sent
}
