import { expect, test } from 'vitest'
import { z } from 'zod'
import { readable } from './readable.ts'

const List = readable(z.object({ id: z.number() }))

test('an element that cannot be read hides no other, and an empty list is one', () => {
  expect(List.parse([{ id: 1 }, null, { id: 'two' }, { id: 3, more: true }])).toEqual([{ id: 1 }, { id: 3 }])
  expect(List.parse([])).toEqual([])
})

test.each([[[{ id: 'one' }, null]], ['none'], [null]])('%j is no list', (value) => {
  expect(List.safeParse(value).success).toBe(false)
})
