import { createHash } from 'node:crypto'
import type { Actor } from '@payments/kernel'
import type { Shot } from './load.ts'

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

export interface DomainCase {
  readonly domain: string
  /** Method and path of the operation, as the reference writes it. */
  readonly name: string
  /** For a read: the table whose newest rows it returns. */
  readonly from?: string
  shot(stand: Stand, unique: string, index: number): Shot
}

const SOLANA = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'
const hex = (unique: string) => `0x${createHash('sha256').update(unique).digest('hex').slice(0, 40)}`
const bankAccount = { accountNumber: '0123456789', bankCode: '058' }

const post = (domain: string, path: string, body: (stand: Stand, unique: string) => object): DomainCase => ({
  domain,
  name: `POST ${path}`,
  shot: (stand, unique) => ({
    method: 'POST',
    path: `/v1${path}`,
    headers: {
      authorization: `Bearer ${stand.key}`,
      'content-type': 'application/json',
      'idempotency-key': unique,
    },
    body: JSON.stringify(body(stand, unique)),
  }),
})

const get = (
  domain: string,
  path: string,
  from?: string,
  token: (stand: Stand) => string = ({ key }) => key,
): DomainCase => ({
  domain,
  name: `GET ${path}`,
  ...(from ? { from } : {}),
  shot: (stand) => ({
    method: 'GET',
    path: `/v1${path}`.replace('{customerId}', stand.customerId).replace('{cngnCustomerId}', stand.cngnCustomerId),
    headers: { authorization: `Bearer ${token(stand)}` },
  }),
})

/** The main writes and reads of every domain. What workers do is measured by `ledger` and `webhooks`. */
export const domainCases: readonly DomainCase[] = [
  get('accounts', '/auth/me', 'memberships', ({ session }) => session),
  get('accounts', '/auth/sessions', 'sessions', ({ session }) => session),
  post('customers', '/customers', (_, unique) => ({ name: 'Ada Obi', email: `${unique}@example.com` })),
  get('customers', '/customers', 'customers'),
  post('payment routes', '/payment-routes', (_, unique) => ({
    ...{ name: 'Treasury', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
    destinationAddress: hex(unique),
  })),
  get('payment routes', '/payment-routes', 'payment_routes'),
  get('payment routes', '/payment-routes/deposits', 'payment_route_deposits'),
  post('collections', '/collections', (_, unique) => ({
    ...{ type: 'link', title: 'Consulting', amount: '25', currency: 'USDC', destinationChainKey: 'base' },
    destinationAddress: hex(unique),
  })),
  get('collections', '/collections', 'collections'),
  {
    domain: 'collections',
    name: 'POST /pay/{collectionId}',
    shot: ({ links }, _, index) => ({
      method: 'POST',
      path: `/v1/pay/${links[index === 0 ? 0 : 1 + (index % (links.length - 1))]}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'start', networkKey: 'ethereum', currency: 'USDC' }),
    }),
  },
  {
    domain: 'collections',
    name: 'GET /pay/{collectionId}',
    from: 'collections',
    shot: ({ links }) => ({ method: 'GET', path: `/v1/pay/${links.at(-1)}`, headers: {} }),
  },
  post('swaps', '/swaps', () => ({
    ...{ fromCurrency: 'EURC', toCurrency: 'USDC', amount: '100', destinationAddress: SOLANA },
  })),
  get('swaps', '/swaps', 'swaps'),
  get('swaps', '/rates'),
  post('local fiat', '/offramps', () => ({
    ...{ amount: '25', sourceCurrency: 'USDC', destinationCurrency: 'NGN', bankAccount },
  })),
  get('local fiat', '/offramps', 'offramps'),
  post('local fiat', '/onramps', (_, unique) => ({
    ...{ amount: '50000', sourceCurrency: 'NGN', destinationCurrency: 'USDC', networkKey: 'base' },
    destinationAddress: hex(unique),
  })),
  get('local fiat', '/onramps', 'onramps'),
  get('local fiat', '/fiat/currencies'),
  post('cNGN', '/cngn/payouts', ({ cngnCustomerId }) => ({
    ...{ customerId: cngnCustomerId, amount: '5.25', bankAccount },
  })),
  get('cNGN', '/cngn/payouts', 'cngn_transfers'),
  get('cNGN', '/cngn/customers/{cngnCustomerId}/balance', 'ledger_accounts'),
  get('ledger', '/transactions', 'transactions'),
  get('webhooks', '/events', 'events'),
  get('notifications', '/notifications', 'notifications'),
  get('timeline', '/timeline/{customerId}', 'request_log'),
]
