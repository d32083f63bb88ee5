import { errors as commonErrors } from '@payments/kernel'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { errors as gatewayErrors } from '../operations/errors.ts'
import { operations as restOperations } from '../operations/operations.ts'
import { openApiDocument } from './document.ts'
import type { Json } from './json.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** The schemas of all request bodies, with the names of their operations. */
const requestBodies = ({ paths }: Json): { id: string; schema: Json }[] =>
  Object.values(paths as Record<string, Record<string, Json>>)
    .flatMap((item) => METHODS.flatMap((method): Json[] => (item[method] ? [item[method]] : [])))
    .flatMap(({ operationId, requestBody }) => {
      const content = (requestBody as { content: Record<string, Json> } | undefined)?.content['application/json']
      return content ? [{ id: String(operationId), schema: content.schema as Json }] : []
    })

describe.each(['merchants', 'operators'] as const)('the document for %s', (audience) => {
  const document = openApiDocument(audience) as { paths: Record<string, Record<string, Json>> } & Json
  const { schemas } = document.components as { schemas: Record<string, Json> }
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): [string, Json][] =>
      item[method] ? [[`${method.toUpperCase()} ${path}`, item[method]]] : [],
    ),
  )
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', components: { schemas } })
  const errorsOf = (schema: Json, value: unknown) => {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')))
    return validate(value) ? [] : validate.errors
  }
  const bodies = operations.flatMap(([name, operation]) => {
    const { requestBody, responses } = operation as { requestBody?: Json; responses: Record<string, Json> }
    return [
      [`${name} request`, requestBody],
      ...Object.entries(responses).map(([status, each]) => [`${name} ${status}`, each]),
    ]
      .map(([where, part]) => [where, ((part as Json | undefined)?.content as Json | undefined)?.['application/json']])
      .filter((entry): entry is [string, Json] => entry[1] !== undefined)
  })

  test('describes every operation, each with its path in the router as its id', () => {
    expect(operations.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([])
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const paths = restOperations.map(({ name }) => name)
    expect(ids.filter((id) => id !== 'health.get' && !paths.includes(String(id)))).toEqual([])
  })

  test('every operation that not every role may call names the roles, and the error of the others', () => {
    const ruled = operations.filter(([, operation]) => operation['x-roles'])
    for (const [name, operation] of ruled) {
      const { 403: forbidden } = operation.responses as Record<number, { content: Record<string, { examples: Json }> }>
      const examples = forbidden?.content['application/json']?.examples
      const codes = Object.keys(examples ?? {}).filter((code) =>
        /^(owner|finance|developer|finance_or_developer)_required$/.test(code),
      )
      expect(codes.length, name).toBeGreaterThan(0)
      expect(operation['x-roles'], name).toContain('owner')
    }
    const rules = restOperations.map(({ name, operation: { meta } }) => [name, meta.role !== 'any'])
    const named = new Map(operations.map(([, { operationId, ...rest }]) => [operationId, 'x-roles' in rest]))
    expect(rules.filter(([name, isRuled]) => named.has(name) && named.get(name) !== isRuled)).toEqual([])
  })

  test('every 401 names its scheme, and every operation of the sandbox that it is one', () => {
    const { responses } = document.components as { responses: Record<string, Json> }
    const resolved = (response: Json) =>
      (response.$ref ? responses[String(response.$ref).split('/').at(-1) as string] : response) as {
        headers: Json
        content: Record<string, { examples: Json }>
      }
    for (const [name, operation] of operations) {
      const { 401: unauthorized, 403: forbidden } = operation.responses as Record<string, Json>
      if (unauthorized) expect(Object.keys(resolved(unauthorized).headers), name).toContain('WWW-Authenticate')
      if (!forbidden) continue
      const codes = Object.keys(resolved(forbidden).content['application/json']?.examples ?? {})
      expect(codes, name).toContain('address_not_allowed')
      expect(codes.includes('sandbox_only'), name).toBe(/^\w+ \/sandbox\//.test(name))
    }
  })

  test('describes every property and parameter and gives an example of it', () => {
    const found: string[] = []
    const visit = (schema: Json | undefined, where: string, top = false): void => {
      if (!schema || schema.$ref !== undefined) return
      const branches = ((schema.anyOf ?? []) as Json[]).filter(({ type }) => type !== 'null')
      if (!top) {
        if (!schema.description && !branches.some((each) => each.description || each.$ref))
          found.push(`${where}: description`)
        const composed =
          schema.properties || schema.items || branches.some((each) => each.$ref || each.properties || each.items)
        const shown = ['example', 'const', 'enum', 'default'].some(
          (name) => name in schema || branches.some((each) => name in each),
        )
        if (!composed && !shown && schema.type !== 'null' && schema.type !== 'boolean') found.push(`${where}: example`)
      }
      for (const [name, part] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
        visit(part, `${where}.${name}`)
      if (schema.items) visit(schema.items as Json, `${where}[]`, true)
      for (const branch of branches) visit(branch, where, true)
    }
    for (const [name, schema] of Object.entries(schemas)) visit(schema, name, true)
    for (const [where, { schema }] of bodies) {
      const { data } = ((schema as Json).properties ?? {}) as { data?: Json }
      visit(where.endsWith(' request') ? (schema as Json) : data, where, true)
    }
    for (const [name, { parameters }] of operations)
      for (const each of (parameters ?? []) as Json[]) {
        const { name: parameter, description, example, schema } = each as { name: string; schema: Json } & Json
        if (!description && !schema.description) found.push(`${name} ${parameter}: description`)
        if (example === undefined && schema.example === undefined && !schema.enum)
          found.push(`${name} ${parameter}: example`)
      }
    expect(found).toEqual([])
  })

  test('limits every text, list and number that a client can send in a body', () => {
    const found: string[] = []
    const LIMITS: Readonly<Record<string, readonly string[]>> = {
      string: ['maxLength', 'enum', 'const', 'pattern', 'format'],
      array: ['maxItems'],
      integer: ['maximum'],
      number: ['maximum'],
    }
    const visit = (schema: Json, where: string): void => {
      const { $ref, anyOf, properties, items, type } = schema as { $ref?: string; anyOf?: Json[]; items?: Json } & Json
      if ($ref) visit(schemas[$ref.split('/').at(-1) ?? ''] as Json, where)
      const limits = LIMITS[String(type)]
      if (limits && !limits.some((limit) => limit in schema)) found.push(where)
      for (const each of anyOf ?? []) visit(each, where)
      for (const [name, part] of Object.entries((properties ?? {}) as Record<string, Json>))
        visit(part, `${where}.${name}`)
      if (items) visit(items, `${where}[]`)
    }
    for (const [where, { schema }] of bodies) if (where.endsWith(' request')) visit(schema as Json, where)
    expect(found).toEqual([])
  })

  test('has only examples that fit their schema', () => {
    const wrong = bodies.flatMap(([where, body]) => {
      const { schema, example, examples } = body as { schema: Json; example?: unknown; examples?: Record<string, Json> }
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples ?? {}).map(({ value }) => value),
      ]
      return values.flatMap((value) => (errorsOf(schema, value) ?? []).map((error) => [where, error, value]))
    })
    expect(wrong).toEqual([])
  })

  test('refers to every component that it has, and has every one that it refers to', () => {
    const { securitySchemes: _schemes, ...components } = document.components as Record<string, Json>
    const text = JSON.stringify(document)
    const has = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    )
    const referred = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, path]) => path))
    expect([...referred].sort()).toEqual(has.sort())
  })
})

test('every request body has a name of its own, made from its operation', () => {
  for (const audience of ['merchants', 'operators'] as const) {
    const document = openApiDocument(audience)
    const { schemas } = document.components as { schemas: Record<string, Json> }
    const bodies = requestBodies(document)
    const names = bodies.map(
      ({ id }) => `${id.replace(/(?:^|\.)(\w)/g, (_all, letter) => letter.toUpperCase())}Request`,
    )
    expect(bodies.map(({ schema }) => [schema.title, schema.type])).toEqual(names.map((name) => [name, 'object']))
    expect(names.filter((name) => name in schemas)).toEqual([])
  }
})

test('no schema says what generators of clients cannot read: escaped slashes, empty permissions, an encoding as a format', () => {
  const found: string[] = []
  const visit = (part: unknown, path: readonly string[]): void => {
    if (typeof part !== 'object' || part === null || path.at(-1) === 'example') return
    const { pattern, format, contentEncoding, additionalProperties, properties } = part as Json
    if (typeof pattern === 'string' && pattern.includes('\\/')) found.push(`${path.join('.')}: ${pattern}`)
    if (typeof format === 'string' && format === contentEncoding) found.push(`${path.join('.')}: ${format}`)
    if (JSON.stringify(additionalProperties) === '{}' && Object.keys((properties as Json | undefined) ?? {}).length > 0)
      found.push(path.join('.'))
    for (const [name, value] of Object.entries(part)) visit(value, [...path, name])
  }
  for (const audience of ['merchants', 'operators'] as const) visit(openApiDocument(audience), [])
  expect(found).toEqual([])
})

test('merchants’ and operators’ operations are in documents of their own, and events in the merchants’', () => {
  const [merchants, operators] = [openApiDocument('merchants'), openApiDocument('operators')]
  expect(Object.keys(merchants.paths as Json).filter((path) => path.startsWith('/admin/'))).toEqual([])
  expect(Object.keys(operators.paths as Json).filter((path) => !path.startsWith('/admin/'))).toEqual([])
  expect(Object.keys(merchants.webhooks as Json)).toContain('payment_route.deposit.updated')
  expect(operators.webhooks).toBeUndefined()
  expect(merchants.servers).toEqual([{ url: '/v1', description: expect.any(String) }])
})

test('a client that checks replies and events strictly goes on when a field is added or a message changes', () => {
  for (const audience of ['merchants', 'operators'] as const) {
    const document = openApiDocument(audience)
    const closed: string[] = []
    const requests: string[] = []
    const visit = (part: unknown, path: readonly string[]): void => {
      if (typeof part !== 'object' || part === null) return
      const { additionalProperties, properties } = part as { additionalProperties?: unknown; properties?: object }
      const message = (properties as { message?: { const?: string } } | undefined)?.message
      const isRequest = path[0] === 'paths' && path.includes('requestBody')
      if (additionalProperties === false) (isRequest ? requests : closed).push(path.join('.'))
      if (message?.const !== undefined) closed.push(`${path.join('.')}: ${message.const}`)
      for (const [name, value] of Object.entries(part)) visit(value, [...path, name])
    }
    visit(document, [])
    expect(closed).toEqual([])
    expect(requests.length).toBeGreaterThan(10)
  }
})

test('an error code means one thing, whichever operation answers with it', () => {
  const meanings = new Map<string, Set<string>>()
  for (const { code, status, message } of [
    ...Object.values(commonErrors),
    ...Object.values(gatewayErrors),
    ...restOperations.flatMap(({ operation }) => operation.meta.errors),
  ])
    meanings.set(code, (meanings.get(code) ?? new Set()).add(`${status} ${message}`))
  expect([...meanings].filter(([, all]) => all.size > 1)).toEqual([])
})
