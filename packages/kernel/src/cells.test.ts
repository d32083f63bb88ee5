import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import {
  belongToCell,
  callbackPath,
  cellBefore,
  cellOfCallback,
  cellOfId,
  cellOfLookup,
  cellOfText,
  cellOfToken,
  cellText,
  idInCell,
  LAST_CELL,
  lookupInCell,
  pathInCell,
  referenceInCell,
  secretInCell,
} from './cells.ts'
import { isId, newId, timeOfId } from './ids.ts'

afterEach(() => belongToCell(0))

const cell = fc.integer({ min: 0, max: LAST_CELL })
const word = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'ABCXYZabcdefxyz0123456789'), minLength: length, maxLength: length })

test('each cell has a text of three characters, and no other number or text is a cell', () => {
  fc.assert(fc.property(cell, (number) => cellOfText(cellText(number)) === number && cellText(number).length === 3))
  for (const number of [-1, LAST_CELL + 1, 0.5, Number.NaN]) expect(() => cellText(number)).toThrow(RangeError)
  for (const text of ['', '0', '00A', '00g', '0000', ' 00']) expect(cellOfText(text)).toBeUndefined()
})

test('whatever is made in a cell names it: ids, lookup parts of keys, secrets, references, access tokens and addresses without an id', () => {
  fc.assert(
    fc.property(cell, word(24), word(12), (number, long, short) => {
      belongToCell(number)
      expect(cellOfId(newId(), 0)).toBe(number)
      const lookup = lookupInCell(long, 8)
      expect([lookup.length, cellOfLookup(lookup)]).toEqual([8, number])
      expect(cellBefore(secretInCell(long), 24)).toBe(number)
      expect(cellBefore(referenceInCell('PIN-', short).slice(4), 12)).toBe(number)
      const claims = Buffer.from(JSON.stringify({ sub: 'x', cell: cellText(number) })).toString('base64url')
      expect(cellOfToken(`e30.${claims}.c2ln`)).toBe(number)
      expect(cellOfCallback(callbackPath('/v1/callbacks/paycrest'))).toBe(number)
      const named = new URL(pathInCell('/branding/logos/ab'), 'https://pay.test').searchParams.get('cell')
      expect(cellOfText(named ?? '000')).toBe(number)
    }),
  )
})

test('ids of one process are UUIDs that rise, whichever cell it belongs to, and tell their time', () => {
  fc.assert(
    fc.property(cell, (number) => {
      belongToCell(number)
      const before = Date.now()
      const ids = Array.from({ length: 100 }, newId)
      expect(ids).toEqual(ids.toSorted())
      expect(new Set(ids).size).toBe(100)
      expect(ids.every(isId)).toBe(true)
      for (const id of ids) expect(timeOfId(id)).toBeGreaterThanOrEqual(before - 1)
    }),
  )
})

test('two ids of different milliseconds have the same order in any two cells', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), fc.uuid({ version: 7 }), cell, cell, (one, other, first, second) => {
      fc.pre(one.slice(0, 33) !== other.slice(0, 33))
      expect(idInCell(one, cellText(first)) < idInCell(other, cellText(second))).toBe(one < other)
    }),
  )
})

test('what was made before there were cells is of cell 0: ids, keys but those that are listed, secrets, references, tokens, the former address', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), word(8), word(24), (id, lookup, long) => {
      expect(cellOfId(id, timeOfId(id) + 1)).toBe(0)
      // Their list is made with this condition: KEY_OF_ANOTHER_CELL says it in SQL.
      const isListed = /^[0-9a-f]{3}/.test(lookup) && !lookup.startsWith('000')
      expect(cellOfLookup(lookup, isListed ? new Map([[lookup, 0]]) : new Map())).toBe(0)
      expect(cellBefore(long, 24)).toBe(0)
    }),
  )
  expect(cellOfToken(`e30.${Buffer.from('{"sub":"x"}').toString('base64url')}.c2ln`)).toBe(0)
  expect(cellOfCallback('/v1/callbacks/near-intents')).toBe(0)
})

test('what names no cell is told apart: other UUIDs, texts of another length, no token, other paths', () => {
  expect(cellOfId('0d9a4b3e-1f7a-4c6e-9b1a-5f0c2d3e4f5a', 0)).toBeUndefined()
  for (const text of ['', 'x', 'payment-link', `${newId()}0`]) expect(cellOfId(text, 0)).toBeUndefined()
  for (const text of ['', 'x'.repeat(23), 'x'.repeat(27), '00Gx'.padEnd(27, 'x')])
    expect(cellBefore(text, 24)).toBeUndefined()
  for (const token of ['', 'x.y.z', 'e30.bnVsbA.c2ln', `e30.${Buffer.from('{"cell":5}').toString('base64url')}.x`])
    expect(cellOfToken(token)).toBeUndefined()
  for (const path of ['/v1/callbacks', '/v1/callbacks/cngn/00A', '/v1/callbacks/cngn/0000', '/v1/customers/00a'])
    expect(cellOfCallback(path)).toBeUndefined()
})
