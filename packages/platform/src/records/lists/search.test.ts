import { expect, test } from 'vitest'
import { searchedPrefixes } from './search.ts'

test('each word of a text is looked for once, in the letters that were typed, and none that another begins with', () => {
  expect(searchedPrefixes('Ada ada ADA@example.com')).toEqual(['example', 'ADA', 'com'])
  expect(searchedPrefixes('inv invoice  Ọlá in')).toEqual(['invoice', 'Ọlá'])
  expect(searchedPrefixes(' .,- ')).toEqual([])
})

test('of many words the eight longest are looked for, however often each is repeated', () => {
  const text = Array.from({ length: 200 }, (_, n) => 'w'.repeat((n % 12) + 1).replace(/^w/, String(n % 12))).join(' ')
  const found = searchedPrefixes(text)
  expect(found).toHaveLength(8)
  expect(Math.min(...found.map((word) => word.length))).toBeGreaterThanOrEqual(5)
})
