import { expect, test } from 'vitest'
import { shownWait } from './format.ts'

test('a wait is said in minutes, and a short one in seconds', () => {
  expect([1, 89, 90, 1699].map(shownWait)).toEqual(['1 second', '89 seconds', '2 minutes', '29 minutes'])
})
