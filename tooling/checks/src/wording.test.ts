import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wrongWords } from './wording.ts'
import { root } from './workspace/workspace.ts'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
/** Keys of the API documents whose values are prose. */
const PROSE = new Set(['summary', 'description', 'message', 'title'])

function proseOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return PROSE.has(key) ? [value] : []
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, each]) => proseOf(each, name))
}

test.each([
  ['the API documents', 'docs/derived/openapi*.json', (file: string) => proseOf(JSON.parse(read(file)))],
  [
    'derived tables',
    'docs/derived/{errors,events,failure-reasons,notifications,settings,states}.md',
    (file: string) => [read(file)],
  ],
  [
    'guides and pages for operators',
    '{README.md,SECURITY.md,docs/guides/*.md,docs/operators/*.md}',
    (file: string) => [read(file)],
  ],
  [
    'pages for contributors',
    '{CONTRIBUTING.md,docs/*.md,docs/{contributing,decisions}/*.md}',
    (file: string) => [read(file)],
  ],
  [
    'the texts of the pay page',
    'packages/pay-page/src/texts/en.json',
    (file: string) => Object.values(JSON.parse(read(file)) as Record<string, string>).map(String),
  ],
  ['the screens of the dashboard', 'services/dashboard/src/browser/**/*.tsx', (file: string) => [read(file)]],
  ['the command lines', 'services/{cli,ops}/src/**/*.ts', (file: string) => [read(file)]],
])('%s have no word that a reader has to work out', (_name, pattern, textsOf) => {
  const texts = globSync(pattern, { cwd: root }).flatMap((file) => textsOf(file).map((text) => ({ file, text })))
  expect(texts.length).toBeGreaterThan(0)
  expect(texts.flatMap(({ file, text }) => wrongWords(text).map((found) => `${file}: ${found}`))).toEqual([])
})

/** The beginnings of messages about fields (`errors` of a 422), and of errors. */
const MESSAGE = /['`]((?:Must|Required|Unknown|Cannot|Not|No|Already|Needs|Leave) (?:(?!['\n]).)*)'/g

test('no message about a field has the backticks of Markdown: programs show it as it is', () => {
  const files = globSync('{packages,packages/providers,services}/*/src/**/*.ts', { cwd: root })
  const messages = files
    .filter((file) => !file.endsWith('.test.ts') && !/generated|states\.ts$/.test(file))
    .flatMap((file) => [...read(file).matchAll(MESSAGE)].map(([, text = '']) => `${file}: ${text}`))
  expect(messages.length).toBeGreaterThan(100)
  expect(messages.filter((text) => /`\w+`/.test(text))).toEqual([])
})

test.each([
  'Only those that stand so',
  'What became of it',
  'The merchant has been told',
  'You need not do anything',
  'Send an e-mail',
])('public text does not say: %s', (text) => {
  expect(wrongWords(text)).toHaveLength(1)
  expect(wrongWords(`Run \`${text}\``)).toEqual([])
})
