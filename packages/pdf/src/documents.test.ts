import { threadMetrics } from '@payments/threads'
import { expect, test } from 'vitest'
import { pdf } from './documents.ts'
import type { PdfPage } from './page.ts'

const info = { title: 'A & B', author: 'Ada', createdAt: new Date('2026-11-01T12:00:00Z') }
const lines = (text: string) => (page: PdfPage) => {
  page.text('收据', { tag: 'H1', bold: true })
  page.table(
    [
      ['Item', 'Price'],
      [text, '1.00'],
    ],
    [283, 200],
  )
  page.facts([['Paid', '₦5 €3']])
  page.code('https://pay.example', 'A code', ['Pay'])
}

/** Documents that were made in a thread. */
async function made(): Promise<number> {
  const { values } = await threadMetrics.duration.get()
  const done = values.filter(
    ({ labels, metricName }) =>
      metricName?.endsWith('_count') && labels.pool === 'documents' && labels.outcome === 'done',
  )
  return done.reduce((sum, { value }) => sum + value, 0)
}

test('a document that says the same is made once for its owner, and is the same bytes when another owner has it made', async () => {
  const before = await made()
  const [first, again] = await Promise.all([
    pdf(info, lines('Bread'), { owner: 'one' }),
    pdf(info, lines('Bread'), { owner: 'one' }),
  ])
  const later = await pdf(info, lines('Bread'), { owner: 'one' })
  expect([(await made()) - before, again, later]).toEqual([1, first, first])
  // Its thread has parsed the fonts before.
  const other = await pdf(info, lines('Bread'), { owner: 'two' })
  expect([(await made()) - before, Buffer.compare(other.file, first.file)]).toEqual([2, 0])
  expect(Buffer.from(first.file.subarray(0, 8)).toString()).toBe('%PDF-1.7')
})

test('a document in another language, with another text or another logo is another one', async () => {
  const owner = 'three'
  const files = await Promise.all([
    pdf(info, lines('Bread'), { owner }),
    pdf(info, lines('Milk'), { owner }),
    pdf({ ...info, lang: 'ar' }, lines('Bread'), { owner }),
  ])
  expect(new Set(files.map(({ file }) => Buffer.from(file).toString('latin1'))).size).toBe(3)
})

test('a character that no font has is named with the document, also when it was made before', async () => {
  const order = () => pdf(info, (page) => page.text('Bread 𓀀'), { owner: 'four' })
  expect((await order()).replaced).toEqual(['𓀀'])
  expect((await order()).replaced).toEqual(['𓀀'])
})
