import { expect, test } from 'vitest'
import { fieldOf, inputOf, type Schema } from './fields.ts'

const typed = (schema: Schema, text: string) =>
  inputOf(
    fieldOf('priority', schema, false, (each) => each),
    text,
  )

test('`null` resets a number that may be null, and is text for any other field', () => {
  expect(typed({ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'null')).toBeNull()
  expect(typed({ type: ['integer', 'null'] }, ' null ')).toBeNull()
  expect(typed({ type: 'integer' }, 'null')).toBe('null')
  expect(typed({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'null')).toBe('null')
  expect(typed({ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '3')).toBe(3)
})
