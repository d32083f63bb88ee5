import { expect, test } from 'vitest'
import { csvRecord } from './csv.ts'

test('a negative amount in a CSV file is a number, and text that a spreadsheet would calculate is text', () => {
  expect(csvRecord(['-5000', '-0.000001', '5000', -3, null])).toBe('-5000,-0.000001,5000,-3,\r\n')
  for (const text of [
    '=1+1',
    '+2348012345678',
    '@SUM(A1)',
    '-5000+cmd',
    '-',
    '-1.',
    '-1e5',
    '-A1',
    '-5000\n',
    '--5',
    '\t1',
  ])
    expect(csvRecord([text]), text).toMatch(/^"?'/)
  expect(csvRecord(['Ada, "A"', 'a-b'])).toBe('"Ada, ""A""",a-b\r\n')
})
