import { readFileSync } from 'node:fs'
import { testNames } from '@payments/checks'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8')

/** The text below a heading, up to the next one. */
const section = (text: string, heading: string): string => text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

/** What is wrong with the notes of the page, a line each: promises without a note, notes without a test, and tests that do not exist or do not run. */
function problemsOf(text: string): string[] {
  const rows = section(text, 'Whom we expect')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  const items = section(text, 'What is defended, and how')
    .split(/^- /m)
    .map((item) => item.split('\n\n')[0] ?? '')
  // The first two rows are the table's head, the first item is what stands before the list.
  const promises = [...rows.slice(2).map((row) => row.replace(/\s*\|$/, '')), ...items.slice(1)]
  const notes = new Map(
    [...text.matchAll(/^\[\^([\w-]+)\]: (.+(?:\n\[(?!\^).+)*)/gm)].map(([, id = '', tests = '']) => [id, tests]),
  )
  const used = [...text.matchAll(/\[\^([\w-]+)\](?!:)/g)].map(([, id = '']) => id)
  return [
    ...promises
      .filter((promise) => !/\[\^[\w-]+\]\s*$/.test(promise))
      .map((promise) => `No note at the end of "${promise}"`),
    ...used.filter((id) => !notes.has(id)).map((id) => `No test for ${id}`),
    ...[...notes.keys()].filter((id) => !used.includes(id)).map((id) => `Nothing refers to ${id}`),
    ...[...notes].flatMap(([id, tests]) => unheld(id, tests)),
  ]
}

/** Lines of a note that name no test, and tests that do not exist or do not run. */
const unheld = (id: string, note: string): string[] =>
  note.split('\n').flatMap((line) => {
    const [, file = '', quoted = ''] = line.trim().match(/^\[[^\]]+\]\(\.\.\/([^)]+)\): (“.+”)[;.]$/) ?? []
    if (!file) return [`${id}: no test in "${line}"`]
    const names = namesOf(file)
    return quoted
      .slice(1, -1)
      .split('”, “')
      .filter((name) => !names.includes(name))
      .map((name) => `${id}: ${file} has no test "${name}"`)
  })

const known = new Map<string, readonly string[]>()

function namesOf(file: string): readonly string[] {
  try {
    const names = known.get(file) ?? testNames(file)
    known.set(file, names)
    return names
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

test('every promise of docs/security.md names tests that exist', () => {
  expect(problemsOf(page)).toEqual([])
  expect([...page.matchAll(/^\[\^[\w-]+\]: /gm)].length).toBeGreaterThan(40)
})

test('a promise without a note, a note without a test, and a test that was renamed or removed are named', () => {
  const file = 'packages/accounts/src/signin/signin.test.ts'
  const changed = (from: string, to: string) => {
    expect(page).toContain(from)
    return problemsOf(page.replace(from, to))
  }
  expect(changed('“an expired code is refused”', '“an expired code is ignored”')).toEqual([
    `sign-in-1: ${file} has no test "an expired code is ignored"`,
  ])
  expect(changed(`(../${file})`, '(../packages/gone.test.ts)')[0]).toMatch(/packages\/gone\.test\.ts has no test/)
  expect(changed('[^sign-in-1]: ', '[^other]: ')).toEqual(['No test for sign-in-1', 'Nothing refers to other'])
  expect(changed('[^sign-in-4]\n', ' Nobody can sign in.\n')[0]).toMatch(/^No note at the end of "\*\*Sign-in/)
  expect(changed('| Merchant ', '| Shop | a till | steal |\n| Merchant ')).toEqual([
    'No note at the end of "| Shop | a till | steal"',
  ])
})
