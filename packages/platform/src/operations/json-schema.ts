import { z } from 'zod'

type Json = Record<string, unknown>

/**
 * The JSON Schema (2020-12) of what a schema returns, as one self-contained object: the parts that are components of the
 * OpenAPI documents are included in place.
 */
export function jsonSchemaOf(schema: z.ZodType): Json {
  const {
    $schema: _schema,
    $defs,
    ...root
  } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { override } = z.globalRegistry.get(zodSchema) ?? {}
      Object.assign(jsonSchema, override)
      for (const name of ['id', 'override']) delete (jsonSchema as Json)[name]
    },
  }) as Json
  const inlined = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inlined)
    if (typeof part !== 'object' || part === null) return part
    const { $ref, ...rest } = part as Json
    const own = Object.entries(rest).map(([name, value]) => [name, inlined(value)])
    if (typeof $ref !== 'string') return Object.fromEntries(own)
    const { id: _id, ...target } = inlined(($defs as Json)[$ref.split('/').at(-1) ?? '']) as Json
    return { ...target, ...Object.fromEntries(own) }
  }
  return inlined(root) as Json
}

const resolve = (schema: Json, schemas: Json): Json =>
  typeof schema.$ref === 'string' ? { ...(schemas[schema.$ref.split('/').at(-1) ?? ''] as Json) } : schema

/**
 * An example value of a schema: its own example, else one composed of the examples of its parts. The parts belong
 * together because domains give one id, address and amount to the same thing everywhere.
 */
export function exampleOf(given: Json, schemas: Json = {}): unknown {
  const schema = resolve(given, schemas)
  if (given.example !== undefined) return given.example
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const branches = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Json[] | undefined
  if (branches) return exampleOf(branches.find(({ type }) => type !== 'null') ?? {}, schemas)
  if (schema.type === 'array') return schema.items ? [exampleOf(schema.items as Json, schemas)] : []
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties as Record<string, Json>).map(([name, part]) => [name, exampleOf(part, schemas)]),
    )
  if (schema.type === 'object') return {}
  if (schema.type === 'boolean') return false
  return schema.type === 'null' ? null : 'text'
}

/**
 * A sample of an event's `data`: the examples of a schema's fields, and `facts` where these do not fit one another, such as the reason of
 * a failure in an object that is completed.
 */
export const sampleOf = <T extends z.ZodObject>(
  schema: T,
  facts: Partial<z.output<T>> & { readonly previousStatus?: string | null },
): Readonly<Record<string, unknown>> => ({ ...(exampleOf(jsonSchemaOf(schema)) as object), ...facts })
