import type { Domain, Ending, Endings, Operation } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { domains } from './domains.ts'
import { appRouter } from './router.ts'

const all = domains as readonly Domain[]
const declared = new Map(
  all.flatMap(({ operators }) => operators?.endings ?? []).map((each): [string, Endings] => [each.machine.name, each]),
)

const procedures = appRouter._def.procedures as unknown as Record<
  string,
  { readonly _def: { readonly meta: { readonly operation: Operation } } } | undefined
>

/** The values that an input's `outcome` may have. */
function outcomesOf({ input }: Operation): unknown[] {
  const { properties } = z.toJSONSchema(input, { unrepresentable: 'any', io: 'input' }) as {
    properties?: Record<string, { enum?: unknown[] }>
  }
  return properties?.outcome?.enum ?? []
}

for (const { data } of all) {
  const resources = data?.resources ?? []
  if (resources.length === 0) continue
  describe.each(resources.map(({ machine }) => [machine.name, machine] as const))('%s:', (resource, machine) => {
    test('from every state of the table there is an operator command that ends it, or a reason why none is needed', () => {
      expect(Object.keys(declared.get(resource)?.states ?? {}).sort()).toEqual(Object.keys(machine.states).sort())
    })

    test('each command is one on money, which needs evidence and above a limit a second operator', () => {
      const endings = Object.values(declared.get(resource)?.states ?? {})
      for (const { command, outcomes } of endings.filter((each): each is Ending => typeof each !== 'string')) {
        const operation = procedures[command]?._def.meta.operation
        expect([command, operation?.operatorCommand?.money]).toEqual([command, true])
        expect(outcomesOf(operation as Operation)).toEqual(expect.arrayContaining([...outcomes]))
        expect(outcomes.length).toBeGreaterThan(0)
      }
    })
  })
}

test('no state table is declared that no resource has', () => {
  const known = all.flatMap(({ data }) => (data?.resources ?? []).map(({ machine }) => machine.name))
  expect([...declared.keys()].filter((name) => !known.includes(name))).toEqual([])
})

test("each parameter that an object names is a field of an operators' command", () => {
  const fields = Object.values(procedures)
    .flatMap((procedure) => procedure?._def.meta.operation ?? [])
    .filter(({ operatorCommand }) => operatorCommand)
    .flatMap(({ input }) => Object.keys((input as z.ZodObject).shape))
  const parameters = all
    .flatMap(({ operators }) => operators?.objects ?? [])
    .flatMap(({ parameter }) => parameter ?? [])
  expect(parameters.length).toBeGreaterThan(0)
  for (const parameter of parameters) expect(fields).toContain(parameter)
})
