/** A part of an OpenAPI document. */
export type Json = Record<string, unknown>

const resolve = (schema: Json, schemas: Json): Json =>
  typeof schema.$ref === 'string' ? { ...(schemas[schema.$ref.split('/').at(-1) ?? ''] as Json) } : schema

/**
 * An example value of a schema: its own example, else one composed of the examples of its parts. The parts belong
 * together because domains give one id, address and amount to the same thing everywhere.
 */
export function exampleOf(given: Json, schemas: Json): unknown {
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
