import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'

// The order inside a domain: tables and shapes, then rows, then verbs, then operations and jobs, then the index. Files with
// names of their own belong to whichever of these they serve and are not ranked.

const root = new URL('../../../', import.meta.url).pathname
const RANKS: Record<string, number> = {
  schemas: 0,
  states: 0,
  errors: 0,
  events: 0,
  provider: 0,
  entity: 1,
  service: 2,
  router: 3,
  jobs: 3,
  index: 4,
}
const rank = (file: string): number | undefined => RANKS[basename(file, '.ts')]

/** `file → imported file` wherever a file takes something from a later rank. */
function climbs(file: string, text: string): string[] {
  return [...text.matchAll(/from '(\.\/[\w-]+\.ts)'/g)]
    .map((match) => match[1] ?? '')
    .filter((imported) => (rank(imported) ?? 0) > (rank(file) ?? Number.POSITIVE_INFINITY))
    .map((imported) => `${file} → ${imported}`)
}

const domains = globSync('packages/*/src/index.ts', { cwd: root })
  .map((index) => dirname(index))
  .filter((folder) => existsSync(`${root}${folder}/router.ts`) && !folder.startsWith('packages/api'))

test('inside a domain nothing takes from a later rank', () => {
  expect(domains.length).toBeGreaterThan(4)
  const files = domains
    .flatMap((folder) => globSync(`${folder}/*.ts`, { cwd: root }))
    .filter((file) => !file.endsWith('.test.ts'))
  expect(files.flatMap((file) => climbs(file, readFileSync(`${root}${file}`, 'utf8')))).toEqual([])
})

test('an entity that takes from its service is found', () => {
  expect(climbs('packages/x/src/entity.ts', "import { create } from './service.ts'")).toHaveLength(1)
})
