import { expect, test } from 'vitest'
import { strangersTakeQuotes } from './quotes.ts'

test('while strangers start sessions at the links of two merchants, a third one’s checkout and payment routes succeed', async () => {
  const { findings, figures } = await strangersTakeQuotes(40)
  expect(findings).toEqual([])
  expect(figures).toMatchObject({ starts: 80, started: 15 })
}, 120_000)
