import { loggedBodies } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../openapi/document.ts'
import { operations } from '../operations/operations.ts'

// Derived from the document of the API, so that an operation that is added is covered by itself: its examples are what is sent and
// answered, and `x-sensitive` says what of it must not be kept.

interface Schema {
  readonly $ref?: string
  readonly 'x-sensitive'?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}
type Content = { readonly 'application/json'?: { readonly schema: Schema; readonly example?: unknown } }
interface Described {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
const document = openApiDocument() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const resolved = (schema: Schema): Schema =>
  schema.$ref ? { ...document.components.schemas[schema.$ref.split('/').at(-1) ?? ''], ...schema } : schema
const alternatives = (schema: Schema): Schema[] => {
  const { anyOf = [], oneOf = [], allOf = [], ...own } = resolved(schema)
  return [own, ...[...anyOf, ...oneOf, ...allOf].flatMap(alternatives)]
}
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []

/** The texts of an example that its schema marks. */
function sensitiveTexts(schema: Schema, example: unknown): string[] {
  const all = alternatives(schema)
  if (all.some((each) => each['x-sensitive'])) return textsIn(example)
  if (Array.isArray(example))
    return example.flatMap((item) => all.flatMap(({ items }) => (items ? sensitiveTexts(items, item) : [])))
  if (typeof example !== 'object' || example === null) return []
  return Object.entries(example).flatMap(([name, each]) =>
    all.flatMap(({ properties }) => (properties?.[name] ? sensitiveTexts(properties[name], each) : [])),
  )
}

const cases = operations.flatMap(({ method, path, operation }) => {
  const described = document.paths[path]?.[method.toLowerCase()]
  if (!described) return []
  const request = described.requestBody?.content['application/json']
  const reply = described.responses[operation.meta.status]?.content?.['application/json']
  const { data, message } = (reply?.example ?? {}) as { data?: unknown; message?: string }
  return [{ name: `${method} ${path}`, operation, request, reply, data, message: message ?? '' }]
})

const sensitiveOf = ({ request, reply }: (typeof cases)[number]): string[] => [
  ...(request ? sensitiveTexts(request.schema, request.example) : []),
  ...(reply ? sensitiveTexts(reply.schema, reply.example) : []),
]
/** Shorter ones, such as the last digits of a number, are in other values by chance. */
const longEnough = (text: string) => text.length > 2
const everySensitive = [...new Set(cases.flatMap(sensitiveOf))].filter(longEnough)

test('the document marks secrets and personal data', () => {
  expect(cases.length).toBeGreaterThan(150)
  for (const text of [
    ...['Ada Obi', 'ada@example.com', '0123456789', '+2348012345678', '22212345678', '123456'],
    ...['Consulting in January', 'Two days on site', 'Consulting, one day', 'https://merchant.example/webhooks'],
  ])
    expect(everySensitive).toContain(text)
})

describe.each(cases)('$name', (each) => {
  const { operation, request, data, message } = each
  const body = (request?.example ?? {}) as object

  test('the log keeps no secret and no personal data of its examples, in success and in failure', () => {
    const errors = Object.fromEntries(
      sensitiveOf(each).map((text, index) => [`field${index}`, `Must not be "${text}"`]),
    )
    const failed = JSON.stringify({ status: 'error', message: 'Validation failed', data: null, errors })
    for (const kept of [
      loggedBodies({ operation, body, reply: { message, data } }),
      loggedBodies({ operation, body, text: JSON.stringify({ status: 'success', message, data }) }),
    ])
      for (const text of everySensitive) expect(textsIn(kept)).not.toContain(text)
    const inRequest = request ? sensitiveTexts(request.schema, request.example).filter(longEnough) : []
    const kept = JSON.stringify(loggedBodies({ operation, body, text: failed }))
    for (const text of inRequest) expect(kept).not.toContain(text)
  })
})

/** Fields whose names could be of something sensitive, and why they are not. */
const NOT_SENSITIVE: Readonly<Record<string, string>> = {
  name: 'of an organisation, a key, a route, a bank, a currency, a view: a customer’s and a user’s are marked',
  organisationName: 'a business',
  displayName: 'a business',
  legalName: 'a business',
  routeName: 'the merchant’s name of a route',
  bankName: 'a bank',
  bank_name: 'a bank',
  bankCode: 'a bank',
  supportEmail: 'the address that a business shows to every payer',
  maskedKey: 'the last four characters',
  key: 'of a network: an API key is marked',
  networkKey: 'a network',
  originChainKey: 'a network',
  destinationChainKey: 'a network',
  idempotencyKeys: 'what the merchant calls changes',
  idempotencyKey: 'what the merchant calls a change',
  errorCode: 'ours',
  tokenType: 'always Bearer',
  code: 'of a currency or a bank: an emailed code is marked',
}

test('a field whose name could be of something sensitive is marked, or listed with the reason', () => {
  const found = new Set<string>()
  const seen = new Set<Schema>()
  const walk = (schema: Schema, name: string): void => {
    const own = resolved(schema)
    const known = schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema) : schema
    if (own['x-sensitive'] || seen.has(known)) return
    seen.add(known)
    const isText = own.type === 'string' || (Array.isArray(own.type) && own.type.includes('string'))
    if (
      isText &&
      !own.enum &&
      /name$|email|phone|bvn|account|holder|secret|token|code$|key$|password|birth/i.test(name)
    )
      found.add(name)
    for (const [property, each] of Object.entries(own.properties ?? {})) walk(each, property)
    if (own.items) walk(own.items, name)
    if (typeof own.additionalProperties === 'object') walk(own.additionalProperties, name)
    for (const each of [...(own.anyOf ?? []), ...(own.oneOf ?? []), ...(own.allOf ?? [])]) walk(each, name)
  }
  for (const { request, reply } of cases) for (const each of [request, reply]) if (each) walk(each.schema, 'body')
  expect([...found].filter((name) => !(name in NOT_SENSITIVE))).toEqual([])
})

/** Which texts of an example were replaced, though the document marks none of them. */
function lost(name: string, schema: Schema | undefined, example: unknown, kept: unknown): string[] {
  if (!schema) return []
  const marked = new Set(sensitiveTexts(schema, example))
  const remaining = textsIn(kept)
  return textsIn(example)
    .filter((text) => !marked.has(text) && text.length < 500 && !remaining.includes(text))
    .map((text) => `${name}: ${text}`)
}

test('everything else of an example is kept, except lists and where a schema leaves open what it contains', () => {
  const open = /transactions|events|deliveries|event-types|requests\/\{|\/views|branding|timeline/
  const all = cases
    .filter(({ name, reply }) => reply && !open.test(name))
    .flatMap(({ name, operation, request, reply, data, message }) => {
      const { requestBody, responseBody } = loggedBodies({
        operation,
        body: (request?.example ?? {}) as object,
        reply: { message, data },
      })
      if (JSON.stringify(responseBody).includes('[truncated]')) return []
      const isList = typeof data === 'object' && data !== null && 'total' in data
      if (isList) expect([name, responseBody]).toEqual([name, null])
      return [
        ...lost(name, request?.schema, request?.example ?? {}, requestBody),
        ...(isList ? [] : lost(name, reply?.schema, { status: 'success', message, data }, responseBody)),
      ]
    })
  expect(all).toEqual([])
})

test('what a caller made up is not kept: unknown fields, values of another type, names that may be values', () => {
  const operation = operations.find(({ name }) => name === 'customers.create')?.operation
  if (!operation) throw new Error('There is no customers.create')
  const body = { hunter: 'hunter2', 'ada@example.com': true, name: { first: 'Ada' }, metadata: { note: 'of Ada' } }
  const errors = { hunter: 'Unrecognized field', 'ada@example.com': 'Unrecognized field', name: 'Not "hunter2"' }
  expect(
    loggedBodies({ operation, body, text: JSON.stringify({ status: 'error', message: 'No', data: null, errors }) }),
  ).toEqual({
    requestBody: { hunter: '[redacted]', '[redacted]': '[redacted]', name: '[redacted]', metadata: '[redacted]' },
    responseBody: {
      status: 'error',
      message: 'No',
      data: null,
      errors: { hunter: 'Unrecognized field', '[redacted].com': 'Unrecognized field', name: 'Not "[redacted]"' },
    },
  })
})

test('of a request that was refused, texts are kept that are ids, times or a choice of their field, wherever a secret was put', () => {
  const operation = operations.find(({ name }) => name === 'collections.create')?.operation
  if (!operation) throw new Error('There is no collections.create')
  const customerId = '01936f2a-7c1e-7000-8000-000000000020'
  const body = {
    type: 'link',
    title: 'svc_test_secret',
    amount: '123456',
    customerId,
    expiresAt: '2026-01-31T12:00:00Z',
  }
  const text = JSON.stringify({ status: 'error', message: 'Validation failed', data: null, errors: {} })
  const hidden = '[redacted]'
  expect(loggedBodies({ operation, body, text }).requestBody).toEqual({ ...body, title: hidden, amount: hidden })
  expect(loggedBodies({ operation, body: { ...body, type: 'svc_test_secret' }, text }).requestBody).toMatchObject({
    type: hidden,
  })
  expect(loggedBodies({ operation, body, reply: { message: 'Created', data: {} } }).requestBody).toEqual({
    ...body,
    title: hidden,
  })
})

test('a body of any size is kept in a bounded number of characters, which PostgreSQL can store', () => {
  const search = operations.find(({ name }) => name === 'webhooks.create')?.operation
  if (!search) throw new Error('There is no webhooks.create')
  const long = 'x\0\ud800'.repeat(30_000)
  for (const body of [
    { url: long, events: Array.from({ length: 3000 }, () => long) },
    Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`a${'b'.repeat(n % 30)}`, long])),
    { url: Array.from({ length: 3000 }, () => ({ a: long })) },
  ]) {
    const kept = JSON.stringify(loggedBodies({ operation: search, body }).requestBody)
    expect(kept.length).toBeLessThan(16_000)
    expect(kept).not.toMatch(/\\u0000|\\ud800/)
  }
})
