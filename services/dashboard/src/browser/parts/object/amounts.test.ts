import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { currencyOf, type Fields, isBare, textOf } from './fields.ts'

interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly description?: string
  readonly example?: unknown
  readonly enum?: readonly unknown[]
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const [merchants, operators] = ['openapi.json', 'openapi-operators.json'].map(
  (name): Api => JSON.parse(readFileSync(new URL(`../../../../../../docs/derived/${name}`, import.meta.url), 'utf8')),
) as [Api, Api]

const NUMBER = /^-?\d+(\.\d+)?$/
/** Texts of digits that are no amounts. */
const NAMES = ['accountNumber', 'bankCode']

const resolved = (api: Api, schema: Schema): Schema => {
  const named = api.components.schemas[schema.$ref?.split('/').at(-1) ?? '']
  const found = named ? resolved(api, named) : schema
  const [given] = (found.anyOf ?? [])
    .map((each) => resolved(api, each))
    .filter((each) => each.properties ?? each.example)
  return { ...found, ...given }
}

/** The example of a field, or those of the fields in it. */
const exampleOf = (api: Api, { example, enum: values, properties }: Schema): unknown =>
  example ??
  values?.[0] ??
  (properties &&
    Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, exampleOf(api, resolved(api, each))])))

/** The fields that have a number without a unit on the screen of an object as its schema shows it. */
function bareIn(api: Api, schema: Schema, within: Fields): string[] {
  const fields = Object.entries(resolved(api, schema).properties ?? {}).map(
    ([name, each]) => [name, resolved(api, each)] as const,
  )
  const object = Object.fromEntries(fields.map(([name, each]) => [name, exampleOf(api, each)]))
  return fields.flatMap(([name, each]) => {
    if (each.properties) return bareIn(api, each, { ...within, ...object }).map((inner) => `${name}.${inner}`)
    const value = object[name]
    if (typeof value !== 'string' || !NUMBER.test(value) || NAMES.includes(name)) return []
    return / \w/.test(textOf(name, value, object, within)) ? [] : [name]
  })
}

test('every amount of every object of the API is shown with its currency, and every rate with what it is for', () => {
  const objects = [merchants, operators].flatMap((api) =>
    Object.entries(api.components.schemas)
      .filter(([, { properties = {} }]) => properties.id && properties.status && properties.updatedAt)
      .map(([name, schema]) => ({ api, name, schema })),
  )
  expect(objects.length).toBeGreaterThan(12)
  const bare = objects.flatMap(({ api, name, schema }) =>
    bareIn(api, schema, currencyOf(name.startsWith('Cngn') ? 'cngn_transfer' : name)).map(
      (field) => `${name}.${field}`,
    ),
  )
  expect(bare).toEqual([])
})

test('an amount that is typed into a command without a currency is shown with what the command says of it', () => {
  const inputs = Object.values(operators.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody }) =>
      Object.entries(resolved(operators, requestBody?.content['application/json']?.schema ?? {}).properties ?? {}),
    )
    .filter(([, { example }]) => typeof example === 'string' && NUMBER.test(example))
  expect(inputs.length).toBeGreaterThan(5)
  for (const [name, { example, description }] of inputs) {
    expect([name, isBare(name, example, {})]).toEqual([name, true])
    expect(description).toBeTruthy()
  }
})
