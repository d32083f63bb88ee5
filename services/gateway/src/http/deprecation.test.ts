import { expect, test } from 'vitest'
import { deprecationHeaders } from './deprecation.ts'

test('a deprecated operation says since when and until when it answers', () => {
  expect(deprecationHeaders({ deprecated: { since: '2026-11-01', sunset: '2027-05-01' } })).toEqual({
    Deprecation: '@1793491200',
    Sunset: 'Sat, 01 May 2027 00:00:00 GMT',
  })
  expect(deprecationHeaders({})).toEqual({})
})
