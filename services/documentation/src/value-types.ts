import type { Json } from '@payments/gateway'
import { describedInterface } from './described.ts'

/** What a value of a reply is in JSON; a list and an object are `json`, and what the schema leaves open is `any`. */
export interface ValueType {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'json' | 'any'
  readonly nullable: boolean
}

/**
 * The type of a value in the `data` of a reply, found by the names and positions that lead to it.
 * @throws Error when the reply has no such value
 */
export function valueTypeOf(
  { method, path }: { readonly method: string; readonly path: string },
  place: readonly (string | number)[],
): ValueType {
  const { operations, schemas } = describedInterface('merchants')
  const pattern = (text: string) => text.replace(/\{\w+\}/g, '{}')
  const found = operations.find((each) => each.method === method && pattern(each.path) === pattern(path))
  const branches = (schema: Json): Json[] => {
    if (typeof schema.$ref === 'string') return branches(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
    const options = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
    return options ? options.flatMap(branches) : [schema]
  }
  const below = (all: Json[], part: string | number): Json[] =>
    all
      .map(({ items, properties, additionalProperties }) =>
        typeof part === 'number' ? items : ((properties as Record<string, Json>)?.[part] ?? additionalProperties),
      )
      .flatMap((each) => (each ? branches(each as Json) : []))
  const all = ['data', ...place].reduce<Json[]>(below, found ? branches(found.success.schema) : [])
  if (all.length === 0) throw new Error(`The reply of ${method} ${path} has no ${place.join('.')}`)
  const types = new Set(all.map(({ type = 'any' }) => String(type)))
  const nullable = types.delete('null')
  const [type = 'any', ...others] = types
  const isPlain = others.length === 0 && ['string', 'integer', 'number', 'boolean', 'any'].includes(type)
  return { type: isPlain ? (type as ValueType['type']) : 'json', nullable }
}
