import { pascal, type Schema, singular } from './document.ts'

/** A schema as TypeScript, indented as a part of something at that depth. */
export function typeOf(schema: Schema, depth = 0): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map((each) => typeOf(each, depth)))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ type }, depth)).join(' | ')
  switch (schema.type) {
    case 'array': {
      const items = typeOf(schema.items ?? {}, depth)
      return items.includes('|') ? `(${items})[]` : `${items}[]`
    }
    case 'object':
      return objectOf(schema, depth)
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

const literal = (value: unknown): string => (value === null ? 'null' : `'${String(value)}'`)

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, depth: number): string {
  const names = Object.keys(properties)
  if (names.length === 0)
    return `Record<string, ${typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0 ? typeOf(additionalProperties) : 'unknown'}>`
  const indent = '  '.repeat(depth + 1)
  const lines = names.map((name) => {
    const property = properties[name] ?? {}
    const about = descriptionOf(property)
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
    return `${about ? `${indent}/** ${about} */\n` : ''}${indent}${key}${required.includes(name) ? '' : '?'}: ${typeOf(property, depth + 1)}`
  })
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}

/** What the document says about a property; of one that may be null, what it says about its value. */
export const descriptionOf = ({ description, anyOf }: Schema): string =>
  (description ?? anyOf?.find((each) => each.description)?.description ?? '').replaceAll('*/', '* /')

/** A named type: an interface where it is an object. */
export function declaration(name: string, schema: Schema): string {
  const about = descriptionOf(schema)
  const type = typeOf(schema)
  const text =
    type.startsWith('{') && type.endsWith('}') && !schema.anyOf ? `interface ${name} ${type}` : `type ${name} = ${type}`
  return `${about ? `/** ${about} */\n` : ''}export ${text}\n`
}

/** `PaymentRouteCreateParams` of the method `create` of `paymentRoutes`. */
export const paramsName = (resource: string, method: string): string =>
  `${resource
    .split('.')
    .map((part) => pascal(singular(part)))
    .join('')}${pascal(method)}Params`

/** The names of other types that a text uses, for its imports. */
export const usedNames = (text: string, names: readonly string[]): string[] => {
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/|'[^']*'/g, '')
  const words = new Set(code.match(/\b[A-Z]\w+/g) ?? [])
  return names.filter((name) => words.has(name)).sort()
}
