import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree, root, type Tree } from '@payments/checks'
import { generate } from '@payments/generate'

/** The files that docs/contributing/add-a-field.md names: a test follows the page. */
export const filesOfField = (): readonly string[] => [
  ...new Set(
    readFileSync(join(root, 'docs/contributing/add-a-field.md'), 'utf8')
      .split('\n')
      .flatMap((line) => line.match(/^\d\. \*\*.*?`(packages\/[\w/.-]+)`/)?.[1] ?? []),
  ),
]

/** The files of other packages that a new domain with a provider changes, in a copy of the tree. */
export function filesOfDomain(): readonly string[] {
  const { path, remove } = copyTree()
  try {
    generate(path, 'tickets', { provider: true })
    const changed = execFileSync('git', ['diff', '--name-only'], { cwd: path, encoding: 'utf8' })
    return changed.split('\n').filter(Boolean)
  } finally {
    remove()
  }
}

/** The files of tooling, without tests, that compose a process of the service or run its main file: everything else starts it through them. */
export const startsOfService = ({ sources }: Tree): readonly string[] =>
  [...sources.values()]
    .filter(({ file }) => file.startsWith('tooling/') && !file.endsWith('.test.ts') && !file.includes('/structure/'))
    .filter(
      ({ identifiers, texts }) =>
        identifiers.has('composeProcess') || texts.some(({ value }) => value.endsWith('services/gateway/src/main.ts')),
    )
    .map(({ file }) => file)
