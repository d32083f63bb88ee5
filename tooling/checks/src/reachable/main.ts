// `npm run check:reachable`: tests, fixtures, examples and the demo name nobody's address and nobody's host.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from '../workspace/workspace.ts'
import { codeBlocks, reachableIn } from './find.ts'

const FILES = [
  '{packages,services,tooling}/**/*.test.ts',
  '{packages,services}/**/test/**/*.ts',
  'tooling/{stand,start,proof,bench,acceptance,generate}/**/*.{ts,mjs,template}',
  'docs/{verify,guides}/**/*',
  // The examples of every operation, event and error.
  'docs/derived/*',
  'README.md',
  'CONTRIBUTING.md',
]
/** The gate's own tests name what it refuses. */
const OWN = /^tooling\/checks\/src\/(gates|reachable\/find)\.test\.ts$/

const found = globSync(FILES, { cwd: root, exclude: (path) => basename(path) === 'node_modules' })
  .filter((file) => /\.(ts|mjs|json|md|py|go|template)$/.test(file) && !OWN.test(file))
  .sort()
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return reachableIn(file.endsWith('.md') ? codeBlocks(text) : text).map((name) => `${file}: ${name}`)
  })
for (const line of found) process.stderr.write(`Leads to a real host on the internet: ${line}\n`)
process.exit(found.length > 0 ? 1 : 0)
