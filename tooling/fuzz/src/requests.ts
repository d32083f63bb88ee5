import type { RestOperation } from '@payments/gateway'
import type { Random } from './random.ts'
import { anything, type Components, fitting, mutated, type Schema, uuid } from './values.ts'

/** One HTTP request, as it is sent. */
export interface GeneratedRequest {
  /** The operation that it was made from. The path may have been changed beyond recognition. */
  readonly operation: RestOperation
  readonly surface: 'rest' | 'trpc'
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | undefined
}

/** What requests are made with: credentials, and ids of records that exist. */
export interface World {
  readonly key: string
  readonly session: string
  readonly operator: string
  readonly ids: string[]
}

const TEXT_IN_PATHS = ['%00', '%zz', '%ff', '..', '%2e%2e', 'é', '%ED%A0%80', '%2F', ';', 'A'.repeat(600), '0', '-1']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE']
const CONTENT_TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/JSON',
  '',
]

/** A request for an operation, changed in some ways with a probability of about two thirds. */
export function generate(
  operations: readonly RestOperation[],
  schemas: { readonly body: (operation: RestOperation) => Schema | undefined; readonly components: Components },
  world: World,
  random: Random,
): GeneratedRequest {
  const operation = random.pick(operations)
  const { meta } = operation.operation
  const schema = schemas.body(operation)
  const value = schema ? fitting(schema, schemas.components, random) : {}
  const input = random.chance(0.5) ? mutated(value, random) : value
  const id = () => (random.chance(0.7) && world.ids.length > 0 ? random.pick(world.ids) : uuid(random))
  const text = () => (random.chance(0.85) ? id() : random.pick(TEXT_IN_PATHS))
  const surface = random.chance(0.25) ? 'trpc' : 'rest'
  const token = tokenFor(meta.access, world, random)
  const headers: [string, string][] = token === undefined ? [] : [['authorization', `Bearer ${token}`]]
  mutateHeaders(headers, random)
  const reads = operation.method === 'GET'
  if (surface === 'trpc') {
    const full = { ...(input as object), ...Object.fromEntries(operation.placeholders.map((name) => [name, id()])) }
    const json = encode(full, random)
    const name = random.chance(0.02) ? 'a.b,customers.list' : operation.name
    const query = reads ? `?input=${encodeURIComponent(json.toString('utf8').slice(0, 3000))}` : ''
    const request = { operation, surface, method: reads ? 'GET' : 'POST', path: `/trpc/${name}${query}` } as const
    return { ...request, headers: withType(headers, random), body: reads ? undefined : json }
  }
  let path = `/v1${operation.path.replace(/\{\w+\}/g, text)}`
  if (reads) {
    const names = Object.keys(operation.operation.input.shape)
    const pairs = names.filter(() => random.chance(0.5)).map((name) => `${name}=${queryText(id, random)}`)
    if (random.chance(0.1)) pairs.push('customerId=a&customerId=b', 'x[]=1', '%=%', '&&')
    if (pairs.length > 0) path += `?${pairs.join('&')}`
  }
  if (random.chance(0.03))
    path = random.pick([`/${path}`, `${path}/`, path.toUpperCase(), `${path}?`, `http://x${path}`, `${path}#x`])
  const method = random.chance(0.03) ? random.pick(METHODS) : operation.method
  const sendsBody = !reads || random.chance(0.05)
  return {
    operation,
    surface,
    method,
    path: encodeURI(path).replaceAll('%25', '%'),
    headers: sendsBody ? withType(headers, random) : headers,
    body: sendsBody ? encode(input, random) : undefined,
  }
}

function tokenFor(access: string, { key, session, operator }: World, random: Random): string | undefined {
  if (random.chance(0.03))
    return random.pick([undefined, 'svc_test_x', `${session.slice(0, -2)}xx`, `${key}x`, 'a.b.c'])
  if (access === 'operator') return operator
  if (['read', 'write', 'sandbox'].includes(access)) return random.chance(0.7) ? key : session
  return access === 'public' || access === 'sign-in' ? undefined : session
}

function mutateHeaders(headers: [string, string][], random: Random): void {
  if (random.chance(0.95))
    headers.push(['idempotency-key', random.chance(0.9) ? uuid(random) : 'k'.repeat(random.below(300))])
  if (random.chance(0.02)) headers.push(['idempotency-key', 'second'])
  if (random.chance(0.05)) headers.push(['x-service-environment', random.pick(['test', 'test', 'Live', '', 'a, b'])])
  if (random.chance(0.05)) headers.push(['x-request-id', random.pick(['', 'ok', 'a b', 'x'.repeat(200)])])
  if (random.chance(0.02)) headers.push(['x-forwarded-for', random.pick(['unknown', '::1', '1.1.1.1.1'])])
  if (random.chance(0.02)) headers.push(['accept-encoding', random.pick(['gzip', 'br', '*;q=0', 'identity;q=0'])])
  if (random.chance(0.01)) headers.push(['origin', 'https://example.com'])
  if (random.chance(0.01)) headers.push(['authorization', 'Bearer second'])
  if (random.chance(0.01)) headers.push(['content-encoding', 'gzip'])
}

const withType = (headers: [string, string][], random: Random): [string, string][] => [
  ...headers,
  ['content-type', random.chance(0.04) ? random.pick(CONTENT_TYPES) : 'application/json'],
]

function queryText(id: () => string, random: Random): string {
  if (random.chance(0.5)) return id()
  const value = anything(random)
  return encodeURIComponent(
    String(typeof value === 'object' ? JSON.stringify(value) : value)
      .toWellFormed()
      .slice(0, 500),
  )
}

/** JSON text, sometimes damaged: cut off, with bytes that are not UTF-8, a byte order mark, or a repeated name. */
function encode(value: unknown, random: Random): Buffer {
  const text = Buffer.from(JSON.stringify(value) ?? '')
  if (random.chance(0.96)) return text
  return random.pick([
    text.subarray(0, random.below(text.length + 1)),
    Buffer.concat([text.subarray(0, 1), Buffer.from([0xff, 0xfe, 0xc0]), text.subarray(1)]),
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]),
    Buffer.from('{"name":"a","name":"b"}'),
    Buffer.from('[1]'),
    Buffer.alloc(101_000, 0x20),
  ])
}
