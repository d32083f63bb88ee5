const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])

type Json = { readonly [key: string]: unknown }

/**
 * What in `next` would break a client written against `base`, one sentence each; empty when nothing does. Requests may
 * only become more tolerant and responses only richer: operations, statuses and response fields stay, no new field is
 * required, and no accepted value is rejected.
 */
export function breaking(base: Json, next: Json): string[] {
  const found: string[] = []
  const schemas = { base: schemasOf(base), next: schemasOf(next) }
  for (const [path, item] of Object.entries(base.paths as Record<string, Json>)) {
    for (const [method, old] of Object.entries(item as Record<string, Json>)) {
      if (!METHODS.has(method)) continue
      const where = `${method.toUpperCase()} ${path}`
      const now = ((next.paths as Record<string, Json>)[path] as Record<string, Json> | undefined)?.[method]
      if (!now) {
        found.push(`${where} is gone`)
        continue
      }
      parameters(where, old, now, found)
      const oldBody = content(old.requestBody)
      const newBody = content(now.requestBody)
      if (newBody)
        request(`${where} body`, oldBody ?? { type: 'object', properties: {} }, newBody, schemas, found, new Set())
      else if (oldBody) found.push(`${where} takes no body any more`)
      for (const [status, oldReply] of Object.entries(old.responses as Record<string, Json>)) {
        const newReply = (now.responses as Record<string, Json>)[status]
        if (!newReply) {
          if (status.startsWith('2')) found.push(`${where} no longer answers ${status}`)
          continue
        }
        const schema = content(newReply)
        if (schema) reply(`${where} ${status}`, content(oldReply) ?? {}, schema, schemas, found, new Set())
      }
    }
  }
  return found
}

interface Schemas {
  readonly base: Record<string, Json>
  readonly next: Record<string, Json>
}

const schemasOf = (document: Json) => ((document.components as Json | undefined)?.schemas ?? {}) as Record<string, Json>
const content = (part: unknown): Json | undefined =>
  ((part as Json | undefined)?.content as Record<string, Json> | undefined)?.['application/json']?.schema as
    | Json
    | undefined

function parameters(where: string, old: Json, now: Json, found: string[]): void {
  const list = (of: Json) => (of.parameters ?? []) as readonly { name: string; in: string; required?: boolean }[]
  for (const parameter of list(now)) {
    const before = list(old).find((each) => each.name === parameter.name && each.in === parameter.in)
    if (parameter.required && !before?.required)
      found.push(`${where} newly requires ${parameter.in} parameter ${parameter.name}`)
  }
  for (const parameter of list(old)) {
    if (!list(now).some((each) => each.name === parameter.name && each.in === parameter.in))
      found.push(`${where} lost ${parameter.in} parameter ${parameter.name}`)
  }
}

function deref(schema: Json, schemas: Record<string, Json>): Json {
  const reference = schema.$ref
  return typeof reference === 'string' ? (schemas[reference.split('/').at(-1) ?? ''] ?? {}) : schema
}

const typesOf = (schema: Json): readonly string[] =>
  schema.type === undefined ? [] : ([schema.type].flat() as string[])
const shape = (schema: Json) => ({
  properties: (schema.properties ?? {}) as Record<string, Json>,
  required: new Set((schema.required ?? []) as string[]),
})

/** A client sends what `old` allowed: `now` must accept all of it. */
function request(
  where: string,
  oldRaw: Json,
  nowRaw: Json,
  schemas: Schemas,
  found: string[],
  seen: Set<string>,
): void {
  const [old, now] = [deref(oldRaw, schemas.base), deref(nowRaw, schemas.next)]
  if (looped(where, nowRaw, seen)) return
  for (const type of typesOf(old))
    if (typesOf(now).length > 0 && !typesOf(now).includes(type)) found.push(`${where} refuses type ${type}`)
  for (const value of (old.enum ?? []) as unknown[])
    if (now.enum && !(now.enum as unknown[]).includes(value)) found.push(`${where} refuses ${JSON.stringify(value)}`)
  for (const [limit, worse] of [
    ['maxLength', (a: number, b: number) => b < a],
    ['maximum', (a: number, b: number) => b < a],
    ['maxItems', (a: number, b: number) => b < a],
    ['minLength', (a: number, b: number) => b > a],
    ['minimum', (a: number, b: number) => b > a],
  ] as const) {
    const [a, b] = [old[limit] as number | undefined, now[limit] as number | undefined]
    if (b !== undefined && (a === undefined || worse(a, b))) found.push(`${where} has a tighter ${limit}`)
  }
  const [before, after] = [shape(old), shape(now)]
  for (const name of after.required) if (!before.required.has(name)) found.push(`${where} newly requires ${name}`)
  for (const [name, schema] of Object.entries(before.properties)) {
    const own = after.properties[name]
    if (own) request(`${where}.${name}`, schema, own, schemas, found, seen)
    else if (now.additionalProperties === false) found.push(`${where} refuses ${name}`)
  }
}

/** A client reads what `old` promised: `now` must still return all of it. */
function reply(where: string, oldRaw: Json, nowRaw: Json, schemas: Schemas, found: string[], seen: Set<string>): void {
  const [old, now] = [deref(oldRaw, schemas.base), deref(nowRaw, schemas.next)]
  if (looped(where, nowRaw, seen)) return
  for (const type of typesOf(now))
    if (typesOf(old).length > 0 && !typesOf(old).includes(type)) found.push(`${where} may now be ${type}`)
  // A message is for people: it still says the same, but is no longer promised for ever.
  const said = /\d{3}\.message$/.test(where) ? (now.const ?? now.example) : now.const
  if (old.const !== undefined && said !== old.const) found.push(`${where} is no longer ${JSON.stringify(old.const)}`)
  const [before, after] = [shape(old), shape(now)]
  for (const [name, schema] of Object.entries(before.properties)) {
    const own = after.properties[name]
    if (!own) found.push(`${where} lost ${name}`)
    else {
      if (before.required.has(name) && !after.required.has(name)) found.push(`${where} no longer promises ${name}`)
      reply(`${where}.${name}`, schema, own, schemas, found, seen)
    }
  }
  if (old.items && now.items) reply(`${where}[]`, old.items as Json, now.items as Json, schemas, found, seen)
}

function looped(where: string, schema: Json, seen: Set<string>): boolean {
  if (typeof schema.$ref !== 'string') return false
  const mark = `${where.split(/[ .]/).at(-1)} ${schema.$ref}`
  if (seen.has(mark)) return true
  seen.add(mark)
  return false
}
