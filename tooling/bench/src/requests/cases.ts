import type { Actor } from '@payments/kernel'
import { type Sample, START_SESSION, samples } from '@payments/stand'
import { creation, type LoadRequest } from '../servers/load.ts'
import type { FloorStatement } from './floor.ts'

/** Whom and what the requests name. */
export interface Stand {
  readonly key: string
  readonly session: string
  readonly actor: Actor
  readonly customerId: string
  readonly cngnCustomerId: string
  /** Pay pages; each client address may open few sessions of one. The floor copies the session of the first. */
  readonly links: readonly string[]
}

export interface Case {
  readonly domain: string
  /** Method and path of the operation, as the reference writes it. */
  readonly name: string
  /** For a read: the table whose newest rows it returns. */
  readonly from?: string
  /** For a read whose rows are not the newest of a table: what finds them. */
  readonly select?: (stand: Stand) => FloorStatement
  request(stand: Stand, unique: string, index: number): LoadRequest
}

const post = (domain: string, { path, body }: Sample, given: (stand: Stand) => object = () => ({})): Case => ({
  domain,
  name: `POST ${path.slice('/v1'.length)}`,
  request: (stand, unique) => creation(stand.key, path, body({ ...given(stand) }), unique),
})

const get = (
  domain: string,
  path: string,
  from?: string,
  token: (stand: Stand) => string = ({ key }) => key,
): Case => ({
  domain,
  name: `GET ${path}`,
  ...(from ? { from } : {}),
  request: (stand) => ({
    method: 'GET',
    path: `/v1${path}`.replace('{customerId}', stand.customerId).replace('{cngnCustomerId}', stand.cngnCustomerId),
    headers: { authorization: `Bearer ${token(stand)}` },
  }),
})

/** The operation of a payer that starts a session of a link. */
export const START = 'POST /pay/{collectionId}'

/** The main writes and reads of every domain. What workers do is measured by `ledger` and `webhooks`. */
export const domainCases: readonly Case[] = [
  get('accounts', '/auth/me', 'memberships', ({ session }) => session),
  get('accounts', '/auth/sessions', 'sessions', ({ session }) => session),
  post('customers', samples.customer),
  get('customers', '/customers', 'customers'),
  post('payment routes', samples.route),
  get('payment routes', '/payment-routes', 'payment_routes'),
  get('payment routes', '/payment-routes/deposits', 'payment_route_deposits'),
  post('collections', samples.collection),
  get('collections', '/collections', 'collections'),
  {
    domain: 'collections',
    name: START,
    request: ({ links }, _, index) => ({
      method: 'POST',
      path: `/v1/pay/${links[index === 0 ? 0 : 1 + (index % (links.length - 1))]}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(START_SESSION),
    }),
  },
  {
    domain: 'collections',
    name: 'GET /pay/{collectionId}',
    from: 'collections',
    request: ({ links }) => ({ method: 'GET', path: `/v1/pay/${links.at(-1)}`, headers: {} }),
  },
  post('swaps', samples.swap),
  get('swaps', '/swaps', 'swaps'),
  get('swaps', '/rates'),
  post('local fiat', samples.offramp),
  get('local fiat', '/offramps', 'offramps'),
  post('local fiat', samples.onramp),
  get('local fiat', '/onramps', 'onramps'),
  get('local fiat', '/fiat/currencies'),
  post('cNGN', samples.payout, ({ cngnCustomerId }) => ({ customerId: cngnCustomerId, amount: '5.25' })),
  get('cNGN', '/cngn/payouts', 'cngn_transfers'),
  get('cNGN', '/cngn/customers/{cngnCustomerId}/balance', 'ledger_accounts'),
  get('ledger', '/transactions', 'transactions'),
  get('webhooks', '/events', 'events'),
  get('notifications', '/notifications', 'notifications'),
  get('timeline', '/timeline/{customerId}', 'request_log'),
]

/** One creation, sent again and again with its key. */
export const replay: Case = {
  domain: 'customers',
  name: 'idempotent replay of POST /customers',
  select: ({ actor }) => ({
    text: `select status, reply, encrypted from idempotency_keys
      where organisation_id = $1 and environment = 'test' and method = 'POST' and path = '/v1/customers' and key = 'replayed'`,
    value: actor.organisationId,
  }),
  request: ({ key }) =>
    creation(key, samples.customer.path, { name: 'Ada Obi', email: 'replayed@example.com' }, 'replayed'),
}

/** The requests that most gateways have: writes, with and without a call of a provider, a replay, and lists. */
export const httpCases: readonly Case[] = [
  post('customers', samples.customer),
  post('payment routes', samples.route),
  replay,
  get('customers', '/customers', 'customers'),
  get('ledger', '/transactions', 'transactions'),
]
