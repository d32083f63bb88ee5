import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clustersOf, isPlain, piecesOf } from './clusters.ts'

test.each([
  ['Bread and milk', ['Bread ', 'and ', 'milk']],
  ['ข้าวผัดไทย', ['ข้าว', 'ผัด', 'ไทย']],
  ['សូមអរគុណ', ['សូម', 'អរគុណ']],
  ['お支払い、です。', ['お', '支', '払', 'い、', 'で', 'す。']],
  ['データ（茶）っと', ['デー', 'タ', '（茶）っ', 'と']],
  ['청구서 결제', ['청구서 ', '결제']],
])('a line ends where the script of %s lets it end', (text, pieces) => {
  expect(piecesOf(text)).toEqual(pieces)
})

test('what a reader sees as one character is never parted, and nothing is lost', () => {
  expect(clustersOf('ẹ̀👨‍👩‍👧🇳🇬क्षि')).toEqual(['ẹ̀', '👨‍👩‍👧', '🇳🇬', 'क्षि'])
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([clustersOf(text).join(''), piecesOf(text).join('')]).toEqual([text, text])
    }),
  )
})

test('text is plain where a segmenter of Unicode parts it no further than into letters and their marks', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const units = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter(isPlain)
  expect(units.length).toBeGreaterThan(40_000)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...units), { maxLength: 12 }), (letters) => {
      const text = letters.join('')
      expect(clustersOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
    }),
    { numRuns: 500 },
  )
})
