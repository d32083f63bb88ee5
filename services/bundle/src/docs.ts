import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { StoredIndex } from '@payments/gateway'
import { digestOf, filesOf, places } from './artefact.ts'

const { root } = places
/** Where the gateway reads its documentation. */
const FOLDER = join(root, 'services/gateway/dist')
/** Names what it was written from. */
const STAMP = 'sources.txt'
/** What the documentation is written from, beside the sources. */
const INPUTS = ['docs/derived', 'docs/guides', 'docs/verify', 'packages/sdk/dist', 'services/cli/dist']

/** The files that it is written from: errors and pages are declared anywhere in the domains. */
export const writtenFrom = (): readonly string[] => [
  ...globSync('{packages/**,services/documentation,services/gateway,services/bundle}/src/**/*.{ts,tsx}', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name.includes('.test.'),
  }).sort(),
  ...INPUTS.flatMap(filesOf),
]

/**
 * Writes the documentation that the gateway serves, where what it is written from has changed since the last time: guides, references, the
 * OpenAPI documents, and what the search finds. The clients are built before: guides show their digests.
 */
export async function buildDocs(): Promise<void> {
  const digest = digestOf(writtenFrom())
  if (existsSync(join(FOLDER, STAMP)) && readFileSync(join(FOLDER, STAMP), 'utf8') === digest) return
  const { writeDocumentation } = await import('@payments/documentation')
  const { guides, files, search } = await writeDocumentation()
  // Beside its place until it is whole: two builds at once would mix their files.
  const made = `${FOLDER}-${process.pid}`
  mkdirSync(made)
  const index: StoredIndex = { guides, files: files.map(({ path, type }) => ({ path, type })) }
  writeFileSync(join(made, 'index.json'), JSON.stringify(index))
  writeFileSync(join(made, 'search.json'), search)
  for (const [at, { content }] of files.entries()) writeFileSync(join(made, `${at}.br`), compressed(content))
  writeFileSync(join(made, STAMP), digest)
  rmSync(FOLDER, { recursive: true, force: true })
  renameSync(made, FOLDER)
}

const compressed = (text: string): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
