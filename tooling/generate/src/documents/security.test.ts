import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defences, securityPage, unheld } from './security.ts'

const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8')

test('every promise of docs/security.md names tests that exist', () => {
  expect(unheld()).toEqual([])
  expect(defences().length).toBeGreaterThan(30)
})

test('a promise whose test was renamed or removed, and one without a test, are named', () => {
  const file = 'tooling/generate/src/documents/security.test.ts'
  const of = (...tests: string[]) => unheld([{ topic: 'Planted', promise: 'Something holds.', tests }])
  expect(of(`${file} › every promise of docs/security.md names tests that exist`)).toEqual([])
  expect(of(`${file} › every promise of docs/security.md names tests`)).toEqual([
    `Planted: ${file} has no test "every promise of docs/security.md names tests"`,
  ])
  expect(of('tooling/generate/src/gone.test.ts › one')).toEqual([
    'Planted: tooling/generate/src/gone.test.ts has no test "one"',
  ])
  expect(of()).toEqual(['Planted: no test shows "Something holds."'])
})

test('the page says nothing of attackers and defences that is not generated from the promises with tests', () => {
  expect(securityPage(page)).toBe(page)
  const changed = page.replace('**Sign-in.**', '**Sign-in.** Nobody can sign in.').replace('| Merchant', '| Shop')
  expect(changed).not.toBe(page)
  expect(securityPage(changed)).toBe(page)
  const own = page.split(/<!-- .*?generated[\s\S]*?<!-- end of \w+ -->/)
  const parts = own.map((part) => part.replaceAll(/^#.*$/gm, '').trim())
  // Between the two headings and their markers there is what is not defended, and nothing else.
  expect(parts[1]).toMatch(/^Not defended: [^\n]*$/)
})
