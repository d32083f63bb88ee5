import { expect, test } from 'vitest'
import { z } from 'zod'
import { fieldsOf } from './errors.ts'

const Shape = z.strictObject({
  name: z.string().min(1).max(3),
  count: z.number().min(2).max(4).optional(),
  share: z.number().gt(0).lt(1).optional(),
  whole: z.int().max(1000).optional(),
  step: z.number().multipleOf(5).optional(),
  yes: z.boolean().optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  map: z.record(z.string(), z.string()).optional(),
  kind: z.enum(['a', 'b']).optional(),
  one: z.literal('x').optional(),
  email: z.email().optional(),
  id: z.uuid().optional(),
  time: z.iso.datetime().optional(),
  code: z.string().regex(/^\d$/).optional(),
  day: z.union([z.iso.date(), z.iso.datetime()]).optional(),
  either: z
    .union([
      z.strictObject({ type: z.literal('wallet'), address: z.string() }),
      z.strictObject({ type: z.literal('bank'), code: z.string() }),
    ])
    .optional(),
  own: z.string().min(9, 'Own words').optional(),
})

test.each<[Record<string, unknown>, Record<string, string>]>([
  [{}, { name: 'Required' }],
  [{ name: null }, { name: 'Must be a string' }],
  [{ name: '' }, { name: 'Must be at least 1 character' }],
  [{ name: 'abcd' }, { name: 'Must be at most 3 characters' }],
  [{ count: 1 }, { count: 'Must be at least 2' }],
  [{ count: 5 }, { count: 'Must be at most 4' }],
  [{ count: '3' }, { count: 'Must be a number' }],
  [{ share: 0 }, { share: 'Must be greater than 0' }],
  [{ share: 1 }, { share: 'Must be less than 1' }],
  [{ whole: 1.5 }, { whole: 'Must be a whole number' }],
  [{ whole: 2 ** 53 }, { whole: 'Must be at most 1000' }],
  [{ step: 6 }, { step: 'Must be a multiple of 5' }],
  [{ yes: 'yes' }, { yes: 'Must be true or false' }],
  [{ list: [] }, { list: 'Must have at least 1 item' }],
  [{ list: ['a', 'b', 'c'] }, { list: 'Must have at most 2 items' }],
  [{ list: [1] }, { 'list.0': 'Must be a string' }],
  [{ map: null }, { map: 'Must be an object' }],
  [{ kind: 'c' }, { kind: 'Must be one of a, b' }],
  [{ one: 'y' }, { one: 'Must be "x"' }],
  [{ email: 'a' }, { email: 'Must be an email address' }],
  [{ id: 'a' }, { id: 'Must be a UUID' }],
  [{ time: 'a' }, { time: 'Must be an ISO 8601 time, such as 2026-01-31T12:00:00Z' }],
  [
    { day: 'tomorrow' },
    { day: 'Must be an ISO 8601 date, such as 2026-01-31, or an ISO 8601 time, such as 2026-01-31T12:00:00Z' },
  ],
  [{ day: 1 }, { day: 'Must be a string' }],
  [{ either: 'bank' }, { either: 'Must be an object' }],
  [{ either: { type: 'card' } }, { 'either.type': 'Must be "wallet" or "bank"' }],
  [{ either: { type: 'bank', address: 'a' } }, { 'either.code': 'Required', 'either.address': 'Unrecognized field' }],
  [{ code: 'a' }, { code: 'Has the wrong format' }],
  [{ own: 'a' }, { own: 'Own words' }],
  [{ other: 1 }, { other: 'Unrecognized field' }],
])('the errors of %o say in plain words what would be right', (input, expected) => {
  const { error } = Shape.safeParse({
    ...('name' in input || Object.keys(input).length === 0 ? {} : { name: 'ok' }),
    ...input,
  })
  expect(error && fieldsOf(error)).toEqual(expected)
})
