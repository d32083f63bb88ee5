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
