import { globSync } from 'node:fs'
import { root } from '@payments/checks'
import { expect, test } from 'vitest'
import { EXPLAINED } from './explained.ts'
import { figuresOf, findingsOf } from './results.ts'
import { RULES } from './rules.ts'
import type { Mutant } from './stryker.ts'

const mutant = (status: string, change = 'a → b'): Mutant => ({ file: 'one.ts', line: 7, change, status })
const explained = [{ file: 'one.ts', change: 'a → b', reason: 'No difference' }]

test('a mutant that no test detects is a finding until it is explained', () => {
  for (const status of ['Survived', 'NoCoverage']) {
    expect(findingsOf([mutant(status)], ['one.ts'], [])).toEqual([`one.ts:7 ${status}: a → b`])
    expect(findingsOf([mutant(status)], ['one.ts'], explained)).toEqual([])
    expect(findingsOf([mutant(status, 'a → c'), mutant('Killed')], ['one.ts'], explained)).toHaveLength(1)
  }
  for (const status of ['Killed', 'Timeout', 'RuntimeError', 'Ignored'])
    expect(findingsOf([mutant(status)], ['one.ts'], [])).toEqual([])
})

test('an explanation whose mutant no longer exists is a finding, where its file was mutated', () => {
  const outdated = ['one.ts Explained, but there is no such mutant: a → b']
  expect(findingsOf([mutant('Killed', 'a → c')], ['one.ts'], explained)).toEqual(outdated)
  expect(findingsOf([], ['other.ts'], explained)).toEqual([])
})

test('the score counts what a test could detect, of all and by rule', () => {
  const results = [
    { rule: 'money', mutants: [mutant('Killed'), mutant('Timeout'), mutant('Survived')] },
    { rule: 'access', mutants: [mutant('NoCoverage', 'x'), mutant('RuntimeError'), mutant('Ignored')] },
    { rule: 'money', mutants: [mutant('Killed')] },
  ]
  expect(figuresOf(results, explained)).toEqual({
    mutants: 5,
    detected: 3,
    percent: 60,
    explained: 1,
    unloadable: 1,
    rules: {
      money: { mutants: 4, detected: 3, percent: 75, explained: 1, unloadable: 0 },
      access: { mutants: 1, detected: 0, percent: 0, explained: 0, unloadable: 1 },
    },
  })
})

test('each rule has code and tests, each journal and table of states belongs to one, and explanations are of that code', () => {
  const files = RULES.flatMap(({ code }) => globSync(code, { cwd: root }))
  expect(
    globSync('packages/*/src/**/{journal,states}.ts', { cwd: root, exclude: ['**/schema/**'] }).filter(
      (file) => !files.includes(file),
    ),
  ).toEqual([])
  expect(new Set(files).size).toBe(files.length)
  for (const pattern of RULES.flatMap(({ code, tests }) => [...code, ...tests]))
    expect([pattern, globSync(pattern, { cwd: root }).length > 0]).toEqual([pattern, true])
  expect(EXPLAINED.filter(({ file }) => !files.includes(file))).toEqual([])
  expect(new Set(EXPLAINED.map(({ file, change }) => `${file} ${change}`)).size).toBe(EXPLAINED.length)
})
