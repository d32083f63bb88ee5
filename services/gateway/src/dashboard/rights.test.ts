import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OWNERS_ONLY, RULES } from '@payments/dashboard'
import { errors } from '@payments/kernel'
import { expect, test } from 'vitest'
import { operations } from '../operations/operations.ts'

test('the dashboard says before a click what the API refuses to all but owners: all of it, and nothing else', () => {
  const refused = operations.flatMap(({ name, operation: { meta } }) => {
    if (meta.role === 'owner') return [[name, 'everywhere']]
    return meta.errors.includes(errors.owner_required) ? [[name, 'live']] : []
  })
  const said = Object.entries(OWNERS_ONLY).map(([name, { where }]) => [name, where])
  expect(said.toSorted()).toEqual(refused.toSorted())
})

test('the dashboard knows the rule for roles of every operation that it calls', () => {
  const said = Object.entries(RULES).flatMap(([rule, names]) => names.map((name) => [name, rule]))
  const ruled = operations.filter(({ operation: { meta } }) => meta.role !== 'any' && meta.role !== 'owner')
  const known = new Set(said.map(([name]) => name))
  const declared = ruled.map(({ name, operation: { meta } }) => [name, meta.role as string])
  expect(said.toSorted()).toEqual(declared.filter(([name]) => known.has(name)).toSorted())

  const folder = fileURLToPath(new URL('../../../dashboard/src/browser', import.meta.url))
  const files = globSync('{screens,parts}/**/*.{ts,tsx}', { cwd: folder, exclude: ['**/*.test.ts'] })
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  const isCalled = (name: string) => new RegExp(`\\b${name.replaceAll('.', '\\.')}\\.(mutate|query)\\b`).test(text)
  expect(isCalled('offramps.create')).toBe(true)
  expect(declared.filter(([name]) => !known.has(name) && isCalled(name as string))).toEqual([])
})
