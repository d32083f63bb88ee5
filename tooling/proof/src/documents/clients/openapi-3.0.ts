type Json = Readonly<Record<string, unknown>>

const isNull = (schema: Json): boolean => schema.type === 'null'
const isOpen = ({ type, properties, additionalProperties }: Json): boolean =>
  type === 'object' && !properties && additionalProperties === true

/**
 * A document of OpenAPI 3.1 without what `@apiture/openapi-down-convert` leaves as it is, although 3.0 does not know it: `null` as a
 * type or as a choice, several types, webhooks. A choice that permits any object becomes any object, and a pattern beside a format
 * goes: generators make a time of the format, and no text that a pattern could be compared with.
 */
export function preparedForOpenApi30({ webhooks: _webhooks, ...document }: Json): Json {
  return prepared(document) as Json
}

function prepared(part: unknown, key = ''): unknown {
  if (key === 'example' || key === 'examples' || typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((each) => prepared(each))
  const schema = Array.isArray((part as Json).anyOf) ? chosen(part as Json) : (part as Json)
  const { type, format, pattern } = schema
  const isAny = Array.isArray(type) && type.filter((each) => each !== 'null').length > 1
  const isFormatted = typeof format === 'string' && typeof pattern === 'string'
  const left = Object.entries(schema).filter(
    ([name]) => !(name === 'type' && isAny) && !(name === 'pattern' && isFormatted),
  )
  const own = Object.fromEntries(left.map(([name, value]) => [name, prepared(value, name)]))
  return isNull(own) ? { ...own, type: 'object', nullable: true } : own
}

/** A schema with choices, of which `null` is none. */
function chosen({ anyOf, ...rest }: Json): Json {
  const choices = anyOf as readonly Json[]
  const others = choices.filter((each) => !isNull(each))
  const nullable = others.length < choices.length ? { nullable: true } : {}
  const one = others.find(isOpen) ?? (others.length === 1 ? others[0] : undefined)
  if (!one) return { ...rest, anyOf: others, ...nullable }
  return { ...('$ref' in one ? { allOf: [one] } : one), ...rest, ...nullable }
}
