import { sensitivityOf } from '@payments/kernel'
import type { z } from 'zod'

/** What a schema knows of a value: which parts of it may be kept in the request log. What it does not know may not be. */
export interface Shape {
  /** A part of it is marked as a secret or as personal data. */
  readonly hidden: boolean
  readonly properties: ReadonlyMap<string, Shape>
  /** Of an array. */
  readonly items: Shape | undefined
  /** Of a record with any keys. */
  readonly values: Shape | undefined
  /** What `typeof` says of the values that it describes. */
  readonly scalars: readonly string[]
  /** The texts that it may be, where only some are possible. */
  readonly choices: readonly unknown[]
}

const NOTHING: Shape = {
  ...{ hidden: false, properties: new Map(), items: undefined, values: undefined },
  ...{ scalars: [], choices: [] },
}
const shapes = new WeakMap<z.ZodType, Shape>()

/** The shape of a schema, computed once. */
export function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema)
  if (known) return known
  const shape = sensitivityOf(schema) ? { ...NOTHING, hidden: true } : described(schema)
  shapes.set(schema, shape)
  return shape
}

interface Definition {
  readonly type: string
  readonly innerType: z.ZodType
  readonly in: z.ZodType
  readonly out: z.ZodType
  readonly shape: Readonly<Record<string, z.ZodType>>
  readonly catchall?: z.ZodType
  readonly element: z.ZodType
  readonly items: readonly z.ZodType[]
  readonly valueType: z.ZodType
  readonly options: readonly z.ZodType[]
  readonly left: z.ZodType
  readonly right: z.ZodType
  readonly values: readonly unknown[]
  readonly entries: Readonly<Record<string, unknown>>
}

function described(schema: z.ZodType): Shape {
  const def = schema._zod.def as unknown as Definition
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'catch':
    case 'readonly':
      return shapeOf(def.innerType)
    case 'pipe':
      return merged([shapeOf(def.in), shapeOf(def.out)])
    case 'object': {
      const properties = new Map(Object.entries(def.shape).map(([name, each]) => [name, shapeOf(each)]))
      return { ...NOTHING, properties, values: def.catchall && shapeOf(def.catchall) }
    }
    case 'array':
      return { ...NOTHING, items: shapeOf(def.element) }
    case 'tuple':
      return { ...NOTHING, items: merged(def.items.map(shapeOf)) }
    case 'record':
      return { ...NOTHING, values: shapeOf(def.valueType) }
    case 'union':
      return merged(def.options.map(shapeOf))
    case 'intersection':
      return merged([shapeOf(def.left), shapeOf(def.right)])
    case 'literal':
      return { ...NOTHING, choices: def.values }
    case 'enum':
      return { ...NOTHING, choices: Object.values(def.entries) }
    case 'template_literal':
      return { ...NOTHING, scalars: ['string'] }
    case 'string':
    case 'number':
    case 'boolean':
      return { ...NOTHING, scalars: [def.type] }
    default:
      // Anything that has no description: a transformation, or a value of any kind.
      return NOTHING
  }
}

/** One of several: what one of them hides is hidden. */
function merged(all: readonly Shape[]): Shape {
  const names = new Set(all.flatMap(({ properties }) => [...properties.keys()]))
  const several = (parts: (Shape | undefined)[]): Shape | undefined => {
    const some = parts.filter((part) => part !== undefined)
    return some.length > 1 ? merged(some) : some[0]
  }
  return {
    hidden: all.some(({ hidden }) => hidden),
    properties: new Map(
      [...names].map((name) => [name, several(all.map(({ properties }) => properties.get(name))) ?? NOTHING]),
    ),
    items: several(all.map(({ items }) => items)),
    values: several(all.map(({ values }) => values)),
    scalars: all.flatMap(({ scalars }) => scalars),
    choices: all.flatMap(({ choices }) => choices),
  }
}
