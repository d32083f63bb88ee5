import type { Random } from '@payments/stand'
import type { Components, Schema } from '../../documents/document.ts'

/** Texts that have broken parsers, databases, terminals and mails. */
const NASTY = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '😀'.repeat(50),
  '\u202Egpj.exe',
  'e\u0301'.repeat(100),
  '\uFEFFx',
  'line\r\nBcc: a@example.com',
  "' or 1=1 --",
  '$1',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '=1+1',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e400',
  '-0',
  '00000000-0000-0000-0000-000000000000',
  '\u{10FFFF}',
  'ﷺ'.repeat(20),
]
const NUMBERS = [0, -1, 1, 0.1, 1e21, -1e21, 1e308, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 31) - 1, Number.MIN_VALUE]
const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'a.b',
  'organisationId',
  'environment',
  'id',
  '\0',
  '\udfff',
  '💥',
]

/** A value that mostly fits the schema. */
export function fitting(schema: Schema, components: Components, random: Random): unknown {
  const { $ref } = schema
  if (schema.example !== undefined && random.chance(0.6)) return schema.example
  if ($ref) return fitting(components[$ref.split('/').at(-1) ?? ''] ?? {}, components, random)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fitting(random.pick(options), components, random)
  const type = typeof schema.type === 'object' ? random.pick(schema.type) : schema.type
  switch (type) {
    case 'object': {
      const { properties = {}, required = [] } = schema
      const names = Object.keys(properties).filter((name) => required.includes(name) || random.chance(0.4))
      return Object.fromEntries(names.map((name) => [name, fitting(properties[name] ?? {}, components, random)]))
    }
    case 'array':
      return Array.from({ length: random.below(4) }, () => fitting(schema.items ?? {}, components, random))
    case 'integer':
    case 'number':
      return random.chance(0.3)
        ? (schema.minimum ?? 0)
        : random.chance(0.5)
          ? (schema.maximum ?? 10)
          : random.below(100)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'string':
      return textOf(schema, random)
    default:
      return anything(random)
  }
}

function textOf({ format, minLength = 0, maxLength = 40 }: Schema, random: Random): string {
  if (format === 'uuid') return uuid(random)
  if (format === 'email') return `${random.below(1e9).toString(36)}@example.com`
  if (format === 'date-time') return new Date(Date.UTC(2020, 0, 1) + random.below(1e9) * 300).toISOString()
  if (random.chance(0.1)) return 'x'.repeat(maxLength)
  if (random.chance(0.1)) return 'x'.repeat(maxLength + 1)
  return `${random.below(1e9).toString(36)}${'y'.repeat(minLength)}`.slice(0, Math.max(1, maxLength))
}

const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join('')
export const uuid = (random: Random): string =>
  `${hex(random, 8)}-${hex(random, 4)}-7${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`

/** A value of any type. */
export function anything(random: Random): unknown {
  const nested = (levels: number): unknown =>
    levels === 0 ? 1 : random.chance(0.5) ? [nested(levels - 1)] : { a: nested(levels - 1) }
  return random.pick<() => unknown>([
    () => random.pick(NASTY),
    () => random.pick(NUMBERS),
    () => null,
    () => true,
    () => [],
    () => ({}),
    () => nested(5 + random.below(60)),
    () => 'x'.repeat(random.below(20_000)),
    () => Array.from({ length: random.below(2000) }, () => 1),
    () => Object.fromEntries(Array.from({ length: random.below(200) }, (_, index) => [`k${index}`, index])),
  ])()
}

/** The value with one or more changes of type, bounds, encoding, unicode, nesting or names. */
export function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.05)) return anything(random)
  const entries = Object.entries(value)
  if (random.chance(0.2)) entries.push([random.pick(KEYS), anything(random)])
  if (entries.length > 0) {
    const index = random.below(entries.length)
    const entry = entries[index] as [string, unknown]
    if (random.chance(0.2)) entries.splice(index, 1)
    else entry[1] = random.chance(0.3) ? mutated(entry[1], random) : anything(random)
  }
  // Entries become own properties, `__proto__` included.
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}
