import { existsSync, globSync, readFileSync } from 'node:fs'
import { commitsSince, git } from '@payments/checks'
import { expect, test } from 'vitest'
import { reliability, reliabilityPage } from './reliability.ts'

const root = new URL('../../../../', import.meta.url)
const page = readFileSync(new URL('docs/reliability.md', root), 'utf8')

/** Sections that are no promise: they have a table for each provider. */
const OTHER = ['What a provider may say, and what happens']

test('every promise of docs/reliability.md names tests that exist, and a command that exists', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object }
  const { promises } = reliability()
  const problems = promises.flatMap(({ title, tests, command }) => {
    const [, script = '', argument] = command.match(/^npm run ([\w-]+)(?: -- ([\w-]+))?$/) ?? []
    const hasProof = globSync(`tooling/proof/src/**/${argument}/index.ts`, { cwd: root }).length === 1
    return [
      ...(tests.length === 0 ? [`${title}: no test`] : []),
      ...tests.filter((file) => !existsSync(new URL(file, root))).map((file) => `${title}: ${file}`),
      ...(script in scripts && (script !== 'proof' || hasProof) ? [] : [`${title}: ${command}`]),
    ]
  })
  expect(problems).toEqual([])
  // A section of another form would have no figures, and nothing would check what it names.
  const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  expect(promises.map(({ title }) => title)).toEqual(titles.filter((title = '') => !OTHER.includes(title)))
})

test('the figures of docs/reliability.md are those that were recorded last', () => {
  expect(reliabilityPage(page)).toBe(page)
  const changed = page.replace(/no findings; operations [\d,]+/, 'no findings; operations 9,999')
  expect(changed).not.toBe(page)
  expect(reliabilityPage(changed)).toBe(page)
  const withoutAge = page.replaceAll(/ Since then, .+/g, '')
  expect(reliabilityPage(withoutAge.replaceAll(/\n\nMeasured on .+/g, ''))).toBe(withoutAge)
  // Each was measured at a commit of this history, of which CI may have a part.
  if (git(['rev-parse', '--is-shallow-repository']).trim() === 'false')
    for (const [, commit = ''] of page.matchAll(/^Measured on \S+ at commit `(\w+)`/gm))
      expect(commitsSince(commit), commit).toBeTypeOf('number')
})
