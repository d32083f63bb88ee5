import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { statements } from './statements.ts'

test('each statement of the specification that is built has exactly one test', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const tested = globSync('*.test.ts', { cwd: folder }).flatMap((file) =>
    [...readFileSync(`${folder}${file}`, 'utf8').matchAll(/^conforms\(\s*'(\w+)'/gm)].map(([, id]) => id as string),
  )
  expect(tested.sort()).toEqual(Object.keys(statements).sort())
})
