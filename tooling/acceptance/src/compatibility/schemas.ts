import type { Json } from './contract.ts'

type Schemas = Readonly<Record<string, Json>>

/** The released and the present schema of one place, and what both refer to. */
export interface Pair {
  /** Such as `POST /customers body`. */
  readonly where: string
  readonly base: Json
  readonly next: Json
}

/** What a schema says of one type: of `anyOf` and of several types each choice is one. */
interface Choice extends Json {
  readonly type?: string
}

/** Upper limits may only rise and lower limits only fall in a request. */
const LIMITS = {
  upper: ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'],
  lower: ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'],
} as const
/** Rules that are compared as they are written: whether another one is wider cannot be read from it. */
const RULES = ['pattern', 'format', 'multipleOf', 'propertyNames', 'contentEncoding'] as const

/** Compares schemas of two contracts. Two that have names are compared once, and what differs is said of the name. */
export function schemaComparison(base: Schemas, next: Schemas) {
  const known = new Map<string, readonly string[]>()
  /** A schema that contains itself is compared as far as it does. */
  const once = (kind: string, { where, ...pair }: Pair, compare: (pair: Pair) => string[]): readonly string[] => {
    const names = [pair.base.$ref, pair.next.$ref]
    if (names.some((name) => typeof name !== 'string')) return compare({ where, ...pair })
    const mark = [kind, ...names].join(' ')
    const before = known.get(mark)
    if (before) return before
    known.set(mark, [])
    const found = compare({ where: nameOf(pair.base), ...pair })
    known.set(mark, found)
    return found
  }
  const choices = ({ base: old, next: now }: Omit<Pair, 'where'>) =>
    [choicesOf(old, base), choicesOf(now, next)] as const

  /** What a client may send by `base` and `next` refuses. */
  const request = (pair: Pair): readonly string[] =>
    once('request', pair, ({ where, ...both }) => {
      const [old, now] = choices(both)
      return old.flatMap((each) => nearest(where, each, now, accepted, (type) => `refuses ${type}`))
    })

  /** What `next` may answer and a client written against `base` cannot read, and what that client misses. */
  const reply = (pair: Pair): readonly string[] =>
    once('reply', pair, ({ where, ...both }) => {
      const [old, now] = choices(both)
      const returned = old.filter(({ type }) => type !== 'null' || old.length === 1)
      return [
        ...now.flatMap((each) =>
          nearest(
            where,
            each,
            old,
            (at, to, of) => answered(at, of, to),
            (type) => `may now be ${type}`,
          ),
        ),
        ...returned.flatMap((each) => nearest(where, each, now, answered, (type) => `is no longer ${type}`)),
      ]
    })

  function accepted(where: string, old: Choice, now: Choice): string[] {
    const [before, after] = [shapeOf(old), shapeOf(now)]
    const values = valuesOf(now)
    const lost = (valuesOf(old) ?? []).filter((value) => values && !values.includes(value))
    return [
      ...lost.map((value) => `${where} refuses ${JSON.stringify(value)}`),
      ...(values && !valuesOf(old) ? [`${where} accepts listed values only`] : []),
      ...LIMITS.upper
        .filter((name) => isNarrower(old[name], now[name], (a, b) => b < a))
        .map((name) => `${where} has a tighter ${name}`),
      ...LIMITS.lower
        .filter((name) => isNarrower(old[name], now[name], (a, b) => b > a))
        .map((name) => `${where} has a tighter ${name}`),
      ...RULES.filter((name) => now[name] !== undefined && differ(old[name], now[name])).map(
        (name) => `${where} has another ${name}`,
      ),
      ...(differ(old.default, now.default) ? [`${where} has another default`] : []),
      ...[...after.required]
        .filter((name) => !before.required.has(name))
        .map((name) => `${where} newly requires ${name}`),
      ...Object.entries(before.properties).flatMap(([name, schema]) => {
        const own = after.properties[name]
        if (own) return request({ where: `${where}.${name}`, base: schema, next: own })
        return now.additionalProperties === false ? [`${where} refuses ${name}`] : []
      }),
      ...(now.additionalProperties === false && old.additionalProperties !== false
        ? [`${where} refuses further fields`]
        : []),
      ...nested(where, old, now, request),
    ]
  }

  function answered(where: string, old: Choice, now: Choice): string[] {
    const [before, after] = [shapeOf(old), shapeOf(now)]
    const values = valuesOf(now)
    return [
      ...(valuesOf(old) ?? [])
        .filter((value) => !values?.includes(value))
        .map((value) => `${where} is no longer ${JSON.stringify(value)}`),
      ...RULES.filter((name) => old[name] !== undefined && differ(old[name], now[name])).map(
        (name) => `${where} has another ${name}`,
      ),
      ...Object.entries(before.properties).flatMap(([name, schema]) => {
        const own = after.properties[name]
        if (!own) return [`${where} lost ${name}`]
        const promised = before.required.has(name) && !after.required.has(name)
        return [
          ...(promised ? [`${where} no longer promises ${name}`] : []),
          ...reply({ where: `${where}.${name}`, base: schema, next: own }),
        ]
      }),
      ...nested(where, old, now, reply),
    ]
  }
  return { request, reply }
}

/** The elements of a list, and the values of an object whose names are free. */
function nested(where: string, old: Choice, now: Choice, compare: (pair: Pair) => readonly string[]): string[] {
  const [items, values] = [
    [old.items, now.items],
    [old.additionalProperties, now.additionalProperties],
  ] as [[Json?, Json?], [Json?, Json?]]
  return [
    ...(items[0] && items[1] ? compare({ where: `${where}[]`, base: items[0], next: items[1] }) : []),
    ...(typeof values[0] === 'object' && typeof values[1] === 'object'
      ? compare({ where: `${where}.*`, base: values[0], next: values[1] })
      : []),
  ]
}

/**
 * The differences of a choice to that of the other schema which is like it most; `unknown` says what it means that none is of its type.
 * A schema without a type is like any.
 */
function nearest(
  where: string,
  choice: Choice,
  others: readonly Choice[],
  compare: (where: string, choice: Choice, other: Choice) => string[],
  unknown: (type: string) => string,
): string[] {
  const found = others
    .filter((other) => isOfType(choice, other))
    .map((other) => compare(where, choice, other))
    .toSorted((a, b) => a.length - b.length)
  return found[0] ?? [`${where} ${unknown(String(choice.type ?? 'anything'))}`]
}

const isOfType = ({ type }: Choice, { type: other }: Choice): boolean =>
  other === undefined || type === other || (type === 'integer' && other === 'number')

const nameOf = ({ $ref }: Json): string => String($ref).split('/').at(-1) ?? ''

function choicesOf(given: Json, schemas: Schemas): readonly Choice[] {
  const { $ref, ...own } = given
  const whole: Json = typeof $ref === 'string' ? { ...schemas[nameOf(given)], ...own } : given
  const { anyOf, oneOf, ...rest } = whole as Json & { anyOf?: Json[]; oneOf?: Json[] }
  const parts = anyOf ?? oneOf
  if (parts) return parts.flatMap((part) => choicesOf({ ...rest, ...part }, schemas))
  if (Array.isArray(whole.type)) return whole.type.map((type) => ({ ...rest, type }))
  return [{ ...rest, ...(whole.type === undefined && rest.properties ? { type: 'object' } : {}) }]
}

const shapeOf = (schema: Json) => ({
  properties: (schema.properties ?? {}) as Readonly<Record<string, Json>>,
  required: new Set((schema.required ?? []) as readonly string[]),
})

/** The values that a schema lists; undefined where it lists none. */
const valuesOf = (schema: Json): readonly unknown[] | undefined =>
  schema.const !== undefined ? [schema.const] : (schema.enum as readonly unknown[] | undefined)

const isNarrower = (old: unknown, now: unknown, worse: (a: number, b: number) => boolean): boolean =>
  typeof now === 'number' && (typeof old !== 'number' || worse(old, now))

const differ = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other)
