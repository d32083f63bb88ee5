import type { Json } from '@payments/gateway'
import type { Described } from '../described.ts'

/**
 * A request before an example, so that what the example names exists. `{name}` in a path or a body is a value that an earlier step
 * has saved.
 */
export interface Step {
  readonly method: string
  /** With `/v1`. */
  readonly url: string
  readonly body?: unknown
  /** Values of the reply to keep: a name, and where it is in `data` (`deliveries.0.id`). */
  readonly save?: Readonly<Record<string, string>>
  /** The step is repeated until the reply has this value at this place; an empty text means any. */
  readonly until?: readonly [place: string, value: string]
}

/** What the example of an operation is sent with, and what is done before. */
export interface Example {
  readonly steps: readonly Step[]
  /** With the values of the steps as `{name}`. */
  readonly url: string
  readonly body: Json | undefined
}

const customer: readonly Step[] = [
  {
    method: 'POST',
    url: '/v1/customers',
    body: { name: 'Ada Obi', email: 'ada@example.com' },
    save: { customerId: 'id' },
  },
]
const enabled: readonly Step[] = [
  ...customer,
  { method: 'POST', url: '/v1/cngn/customers/{customerId}/enable', body: { bvn: '22212345678' } },
  { method: 'GET', url: '/v1/customers/{customerId}', until: ['cngn.status', 'enabled'] },
]
const funded: readonly Step[] = [
  ...enabled,
  { method: 'POST', url: '/v1/sandbox/cngn/customers/{customerId}/bank-transfers', body: { amount: '100000' } },
  { method: 'GET', url: '/v1/cngn/customers/{customerId}/balance', until: ['available', '100000'] },
]
const route: readonly Step[] = [
  {
    method: 'POST',
    url: '/v1/payment-routes',
    body: {
      name: 'Treasury',
      originChainKey: 'ethereum',
      destinationChainKey: 'base',
      destinationCurrency: 'USDC',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    },
    save: { paymentRouteId: 'id', id: 'id' },
  },
]
const deposit: readonly Step[] = [
  ...route,
  { method: 'POST', url: '/v1/sandbox/payment-routes/{paymentRouteId}/deposits', body: { amount: '12.50' } },
  {
    method: 'GET',
    url: '/v1/payment-routes/{paymentRouteId}/deposits',
    until: ['deposits.0.id', ''],
    save: { depositId: 'deposits.0.id' },
  },
]
const collection: readonly Step[] = [
  {
    method: 'POST',
    url: '/v1/collections',
    body: {
      type: 'checkout',
      title: 'Order 1042',
      amount: '12.50',
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    },
    save: { collectionId: 'id' },
  },
]
/** A session of that collection. */
const session: readonly Step[] = [
  ...collection,
  {
    method: 'POST',
    url: '/v1/pay/{collectionId}',
    body: { action: 'start', networkKey: 'ethereum', currency: 'USDC' },
    save: { sessionId: 'id' },
  },
]
/** A session that is paid. */
const paidSession: readonly Step[] = [
  ...session,
  { method: 'POST', url: '/v1/sandbox/checkout-sessions/{sessionId}/payments', body: {} },
  {
    method: 'GET',
    url: '/v1/collections/{sessionId}',
    until: ['status', 'paid'],
  },
]
/** A session with money that does not count, because it was asked for in another currency. */
const undecidedSession: readonly Step[] = [
  ...session,
  {
    method: 'POST',
    url: '/v1/sandbox/checkout-sessions/{sessionId}/payments',
    body: { currency: 'USDT', amount: '12.50' },
  },
  { method: 'GET', url: '/v1/collections/sessions/undecided', until: ['sessions.0.id', ''] },
]
/** An invoice that has what accounting programs read. */
const invoice: readonly Step[] = [
  {
    method: 'PATCH',
    url: '/v1/branding',
    body: { legalName: 'Ada Workshop Ltd', address: '1 Marina, Lagos', country: 'NG', taxId: '12345678-0001' },
  },
  {
    method: 'POST',
    url: '/v1/customers',
    body: { name: 'Ada Obi', email: 'ada@example.com', country: 'NG' },
    save: { customerId: 'id' },
  },
  {
    method: 'POST',
    url: '/v1/collections',
    body: {
      type: 'invoice',
      title: 'Consulting in January',
      pricing: { currency: 'USD' },
      items: [{ description: 'Consulting, one day', quantity: 2, unitAmount: '400', taxPercent: 7.5 }],
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      customerId: '{customerId}',
    },
    save: { collectionId: 'id' },
  },
]
const endpoint: readonly Step[] = [
  {
    method: 'POST',
    url: '/v1/webhooks',
    body: { url: 'https://merchant.example/webhooks' },
    save: { webhookEndpointId: 'id' },
  },
]
const delivery: readonly Step[] = [
  ...endpoint,
  { method: 'POST', url: '/v1/webhooks/{webhookEndpointId}/test' },
  {
    method: 'GET',
    url: '/v1/webhooks/{webhookEndpointId}/deliveries',
    until: ['deliveries.0.id', ''],
    save: { deliveryId: 'deliveries.0.id' },
  },
]

const failure: readonly Step[] = [
  ...route,
  {
    method: 'POST',
    url: '/v1/sandbox/payment-routes/{paymentRouteId}/deposits',
    body: { amount: '12.50', outcome: 'failed' },
  },
  {
    method: 'GET',
    url: '/v1/notifications',
    until: ['notifications.0.id', ''],
    save: { notificationId: 'notifications.0.id' },
  },
]

/** Where making the object that a path names takes more than its own `POST`. The first that fits the method and path is taken. */
const PREPARED: readonly (readonly [RegExp, readonly Step[]])[] = [
  [/^POST \/cngn\/customers\/\{customerId\}\/enable$/, customer],
  [/^\w+ \/cngn\/customers\//, enabled],
  [/^\w+ \/sandbox\/cngn\/customers\//, enabled],
  [/^POST \/cngn\/(withdrawals|payouts|converts)$/, funded],
  [/^POST \/cngn\/(payins|deposits)$/, enabled],
  [/^\w+ (\/sandbox)?\/payment-routes\/\{/, route],
  [/^GET \/payment-routes\/deposits\/\{/, deposit],
  [/^\w+ \/timeline\//, route],
  [/^POST \/notifications\/\{/, failure],
  [/^GET \/collections\/\{collectionId\}\/invoice\./, invoice],
  [/^GET \/collections\/sessions\/\{sessionId\}\/receipt\./, paidSession],
  [/^POST \/collections\/sessions\/\{sessionId\}\/resolve$/, undecidedSession],
  [/^POST \/collections\/\{collectionId\}\/send$/, invoice],
  [/^\w+ \/(collections|pay)\/\{/, collection],
  [/^POST \/sandbox\/checkout-sessions\//, session],
  [/^\w+ \/webhooks\/\{webhookEndpointId\}\/deliveries\/\{/, delivery],
  [/^\w+ \/webhooks\/\{/, endpoint],
  [
    /^GET \/events\/\{/,
    [...route, { method: 'GET', url: '/v1/events', until: ['events.0.id', ''], save: { eventId: 'events.0.id' } }],
  ],
  [
    /^GET \/requests\/\{/,
    [{ method: 'GET', url: '/v1/requests', until: ['requests.0.id', ''], save: { requestId: 'requests.0.id' } }],
  ],
  [
    /^GET \/transactions\/\{/,
    [
      ...deposit,
      {
        method: 'GET',
        url: '/v1/transactions',
        until: ['transactions.0.id', ''],
        save: { transactionId: 'transactions.0.id' },
      },
    ],
  ],
]
/** What the reader has to do: a delivery that can be retried is one whose attempts have all failed, for days; a domain needs its DNS record. */
const NOT_PREPARED =
  /^POST \/webhooks\/\{webhookEndpointId\}\/deliveries\/|^POST \/auth\/|^POST \/branding\/verify-domain$/
/** Ids of the examples of the document. */
const MADE_UP = /01936f2a-7c1e-7000-8000-/

/**
 * The example of an operation, as it succeeds for an organisation in the test environment that has nothing yet: the body of the
 * document without what names objects that do not exist, and the requests that make what must.
 */
export function exampleOf(operation: Described, operations: readonly Described[]): Example {
  const name = `${operation.method} ${operation.path}`
  const required = new Set((operation.body?.schema.required ?? []) as string[])
  const own = PREPARED.find(([pattern]) => pattern.test(name))?.[1]
  const placeholder = operation.path.match(/\{(\w+)\}/)?.[1]
  return {
    steps: NOT_PREPARED.test(name) ? [] : (own ?? (placeholder ? madeBy(operation, placeholder, operations) : [])),
    url: operation.url.replace(/\{(\w+)\}/g, (whole, each: string) => givenValue(operation, each) ?? whole),
    body: operation.body && bodyOf(operation.body.example, required),
  }
}

/** The value of a parameter that needs no object, such as a currency's code. */
function givenValue({ parameters }: Described, name: string): string | undefined {
  const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
  const example = String(parameter?.example ?? parameter?.schema.example ?? '')
  return /id$/i.test(name) ? undefined : example
}

const bodyOf = (example: Json, required: ReadonlySet<string>): Json =>
  Object.fromEntries(
    Object.entries(example).flatMap(([name, value]): [string, unknown][] => {
      if (typeof value !== 'string' || !MADE_UP.test(value)) return [[name, value]]
      return required.has(name) ? [[name, `{${name}}`]] : []
    }),
  )

/** The `POST` that makes the object that a placeholder names, with what that needs itself. */
function madeBy(operation: Described, placeholder: string, operations: readonly Described[]): readonly Step[] {
  if (!/id$/i.test(placeholder)) return []
  const prefix = operation.path.slice(0, operation.path.indexOf(`/{${placeholder}}`)).replace(/^\/sandbox/, '')
  const plural = prefix === '/offramp' ? '/offramps' : prefix
  const maker = operations.find(({ method, path }) => method === 'POST' && path === plural)
  if (!maker) return []
  const { steps, url, body } = exampleOf(maker, operations)
  const place = operation.path === '/offramp/{id}' ? 'offrampId' : 'id'
  return [...steps, { method: 'POST', url, body, save: { [placeholder]: place } }]
}

/** True where the form of the page needs nothing of the reader but a credential. */
export const isPrepared = ({ method, path }: Described): boolean => !NOT_PREPARED.test(`${method} ${path}`)
