import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { promises } from './promises.ts'

const root = new URL('../../../../', import.meta.url)

test('every promise names tests that exist, and a command that exists', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object }
  const problems = promises.flatMap(({ title, tests, command }) => {
    const [, script = '', argument] = command.match(/^npm run ([\w-]+)(?: -- ([\w-]+))?$/) ?? []
    const hasProof = globSync(`tooling/proof/src/**/${argument}/index.ts`, { cwd: root.pathname }).length === 1
    return [
      ...(tests.length === 0 ? [`${title}: no test`] : []),
      ...tests.filter((file) => !existsSync(new URL(file, root))).map((file) => `${title}: ${file}`),
      ...(script in scripts && (script !== 'proof' || hasProof) ? [] : [`${title}: ${command}`]),
    ]
  })
  expect(problems).toEqual([])
})
