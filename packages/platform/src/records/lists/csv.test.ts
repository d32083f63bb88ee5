import { expect, test } from 'vitest'
import { csvRecord, spreadsheetText } from './csv.ts'

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

test('an identifier that a spreadsheet would read as a number or a date is a formula with its text, and any other text is no formula', () => {
  const cells = (...texts: string[]) => csvRecord(texts.map(spreadsheetText)).trimEnd()
  for (const text of ['007', '90467565020001', '1234e5', '12E+3', '1-2', '1/2/2026', '3.12.2026', '2026-12-31'])
    expect(cells(text)).toBe(`"=""${text}"""`)
  expect(cells('7', '9046756502', 'INV-000001', '0x12', 'a 007', '=1+1')).toBe(
    "7,9046756502,INV-000001,0x12,a 007,'=1+1",
  )
})
