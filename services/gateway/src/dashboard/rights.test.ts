import { OWNERS_ONLY } from '@payments/dashboard'
import { errors } from '@payments/kernel'
import { expect, test } from 'vitest'
import { operations } from '../operations/operations.ts'

test('the dashboard says before a click what the API refuses to members: all of it, and nothing else', () => {
  const refused = operations.flatMap(({ name, operation: { meta } }) => {
    if (meta.access.startsWith('owner')) return [[name, 'everywhere']]
    return meta.errors.includes(errors.owner_required) ? [[name, 'live']] : []
  })
  const said = Object.entries(OWNERS_ONLY).map(([name, { where }]) => [name, where])
  expect(said.toSorted()).toEqual(refused.toSorted())
})
