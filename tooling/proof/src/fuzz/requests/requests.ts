import { gzipSync } from 'node:zlib'
import type { RestOperation } from '@payments/gateway'
import type { Random } from '@payments/stand'
import type { Components, Schema } from '../../documents/document.ts'
import type { Tenant } from '../tenant.ts'
import { anything, fitting, mutated, uuid } from './values.ts'

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

/** What the API documents say of the body of an operation. */
export interface Bodies {
  schema(operation: RestOperation): Schema | undefined
  /** A whole body that the reference shows. */
  example(operation: RestOperation): unknown
  /** The example of a query parameter. */
  query(operation: RestOperation, name: string): unknown
  readonly components: Components
}

/** A request for an operation, changed in some ways with a probability of about one half. */
export function generate(
  operations: readonly RestOperation[],
  bodies: Bodies,
  tenant: Tenant,
  random: Random,
): GeneratedRequest {
  const operation = chosen(operations, tenant, random)
  const { meta } = operation.operation
  const value = bodyOf(operation, bodies, tenant, random)
  const input = random.chance(0.4) ? mutated(value, random) : value
  const surface = random.chance(0.25) ? 'trpc' : 'rest'
  const token = tokenFor(meta.access, tenant, surface, random)
  const headers: [string, string][] = token === undefined ? [] : [['authorization', `Bearer ${token}`]]
  mutateHeaders(headers, random)
  const reads = operation.method === 'GET'
  if (surface === 'trpc') {
    const inPath = operation.placeholders.map((name) => [name, idFor(operation, name, tenant, random)])
    const json = encode({ ...(input as object), ...Object.fromEntries(inPath) }, random)
    const name = random.chance(0.02) ? 'a.b,customers.list' : operation.name
    const query = reads ? `?input=${encodeURIComponent(json.toString('utf8').slice(0, 3000))}` : ''
    const request = { operation, surface, method: reads ? 'GET' : 'POST', path: `/trpc/${name}${query}` } as const
    return { ...request, headers: withType(headers, random), body: reads ? undefined : json }
  }
  const method = random.chance(0.03) ? random.pick(METHODS) : operation.method
  const sendsBody = !reads || random.chance(0.05)
  return {
    operation,
    surface,
    method,
    path: pathOf(operation, bodies, tenant, random),
    headers: sendsBody ? withType(headers, random) : headers,
    body: sendsBody ? encode(input, random) : undefined,
  }
}

/** What ends the credentials or the objects of the organisation is chosen less often, so that much can follow from a reply. */
const ENDS = /^(DELETE|.*(logout|suspend|anonymise))/

/** Draws of an operation until one can refer to an object that exists. */
const DRAWS = 4

/**
 * Creations, and then what can be done with their objects, are chosen more often than their number would have it: there are more
 * operations that read.
 */
function chosen(operations: readonly RestOperation[], tenant: Tenant, random: Random): RestOperation {
  const those = (wanted: (of: RestOperation) => boolean) => {
    const some = operations.filter(wanted)
    return random.pick(some.length > 0 ? some : operations)
  }
  const draw = (): RestOperation => {
    if (random.chance(0.2)) return those(({ operation }) => operation.meta.status === 201)
    return random.chance(0.4) ? those(({ operation }) => operation.command !== undefined) : random.pick(operations)
  }
  const useful = (operation: RestOperation): boolean =>
    operation.placeholders.every(
      (name) => name === 'id' || WORDS[name] || tenant.ids.knows(...kindsOf(operation, name)),
    ) && !(ENDS.test(`${operation.method} ${operation.path}`) && random.chance(0.7))
  let operation = draw()
  for (let draws = 1; draws < DRAWS && !useful(operation); draws++) operation = draw()
  return operation
}

/** The example of the reference with ids of objects that exist, or a value made from the schema. */
function bodyOf(operation: RestOperation, bodies: Bodies, { ids }: Tenant, random: Random): unknown {
  const schema = bodies.schema(operation)
  const example = random.chance(0.6) ? bodies.example(operation) : undefined
  const value = example ?? (schema ? fitting(schema, bodies.components, random) : {})
  const own = (name: string, inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map((item) => own(name, item))
    if (inner && typeof inner === 'object')
      return Object.fromEntries(
        Object.entries(inner)
          .filter(([key]) => !/Id$/.test(key) || schema?.required?.includes(key) || random.chance(0.6))
          .map(([key, each]) => [key, own(key, each)]),
      )
    if (typeof inner !== 'string') return inner
    if (name === 'email') return `${random.below(1e9).toString(36)}@example.com`
    if (name === 'reference') return `reference-${random.below(1e9)}`
    return /Id$/.test(name) && random.chance(0.97) ? ids.pick(random, name) : inner
  }
  return own('', value)
}

/** What a placeholder may be called in replies: by its own name, or by the word before it in the path. */
const kindsOf = ({ path }: RestOperation, name: string): string[] => [
  name,
  path.split(`/{${name}}`)[0]?.split('/').at(-1) ?? '',
]

const idFor = (operation: RestOperation, name: string, { ids }: Tenant, random: Random): string =>
  // The lookup of the specification has ids of its own spelling.
  `${operation.path.startsWith('/offramp/') ? 'ofr_' : ''}${ids.pick(random, ...kindsOf(operation, name))}`

const WORDS: Readonly<Record<string, readonly string[]>> = {
  networkKey: ['ethereum', 'base', 'solana', 'tron', 'nowhere'],
  code: ['NGN', 'KES', 'XXX'],
}

function pathOf(operation: RestOperation, bodies: Bodies, tenant: Tenant, random: Random): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    if (random.chance(0.06)) return random.pick(TEXT_IN_PATHS)
    return WORDS[name] ? random.pick(WORDS[name]) : idFor(operation, name, tenant, random)
  })
  let path = `/v1${filled}`
  if (operation.method === 'GET') {
    const names = Object.keys(operation.operation.input.shape).filter((name) => !operation.placeholders.includes(name))
    const pairs = names
      .filter(() => random.chance(0.5))
      .map((name) => `${name}=${queryText(name, bodies.query(operation, name), tenant, random)}`)
    if (random.chance(0.1)) pairs.push('customerId=a&customerId=b', 'x[]=1', '%=%', '&&')
    if (pairs.length > 0) path += `?${pairs.join('&')}`
  }
  if (random.chance(0.03))
    path = random.pick([`/${path}`, `${path}/`, path.toUpperCase(), `${path}?`, `http://x${path}`, `${path}#x`])
  return encodeURI(path).replaceAll('%25', '%')
}

function tokenFor(
  access: string,
  { key, session, operator }: Tenant,
  surface: 'rest' | 'trpc',
  random: Random,
): string | undefined {
  if (random.chance(0.03))
    return random.pick([undefined, 'svc_test_x', `${session.slice(0, -2)}xx`, `${key}x`, 'a.b.c'])
  if (access === 'operator') return operator
  // Procedures are for sessions; a key is sent there now and then.
  if (surface === 'trpc') return random.chance(0.05) ? key : session
  if (['read', 'write', 'sandbox'].includes(access)) return random.chance(0.8) ? key : session
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

function queryText(name: string, example: unknown, { ids }: Tenant, random: Random): string {
  if (name !== 'customerId' && example !== undefined && random.chance(0.8)) return encodeURIComponent(String(example))
  if (random.chance(0.6)) return ids.pick(random, name)
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
    Buffer.from('['.repeat(40_000)),
    Buffer.from(text.toString('utf8'), 'utf16le'),
    gzipSync(text),
  ])
}
