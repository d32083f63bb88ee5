import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copyTree } from './workspace/copy.ts'
import { packagesOf, root, sourcesOf } from './workspace/workspace.ts'

const packages = packagesOf()
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

test.each(packages.map((each) => [each.folder, each] as const))(
  '%s has the same tasks as every other package',
  (folder, { manifest }) => {
    const up = folder.replace(/[^/]+/g, '..')
    const sources = sourcesOf(folder)
    expect(manifest.scripts).toEqual({
      lint: 'biome check --error-on-warnings .',
      ...(sources.length > 0 ? { types: 'tsc -p tsconfig.package.json' } : {}),
      ...(sources.some((file) => file.endsWith('.test.ts')) ? { test: `vitest run --root ${up} ${folder}/` } : {}),
    })
    if (sources.length > 0)
      expect(read(`${folder}/tsconfig.package.json`)).toEqual({ extends: `${up}/tsconfig.json`, include: ['**/*.ts'] })
    expect(existsSync(join(root, folder, 'tsconfig.package.json'))).toBe(sources.length > 0)
    expect(read(`${folder}/turbo.json`).tags).toHaveLength(1)
  },
)

test('every package of the product has an owner, and every owned folder exists', () => {
  const owned = [...readFileSync(join(root, '.github/CODEOWNERS'), 'utf8').matchAll(/^\/(\S+)\/ +@\S+$/gm)].map(
    ([, folder]) => folder as string,
  )
  expect(owned.filter((folder) => !existsSync(join(root, folder)))).toEqual([])
  const folders = packages.map(({ folder }) => folder).filter((folder) => !folder.startsWith('tooling/'))
  expect(folders.filter((folder) => !owned.includes(folder))).toEqual([])
})

const { path: copy, remove } = copyTree()
afterAll(remove)

/** A check of the whole tree. */
const TREE = '//#check:types'

/** The cache key of every task, by `<package>#<task>`. */
function cacheKeys(): Record<string, string> {
  const { stdout } = spawnSync(
    join(copy, 'node_modules/.bin/turbo'),
    ['run', TREE, 'lint', 'types', 'test', '--dry=json'],
    // The list has outgrown the megabyte that Node keeps by default.
    { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 26, env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' } },
  )
  const { tasks } = JSON.parse(stdout) as { tasks: { taskId: string; hash: string; command: string }[] }
  return Object.fromEntries(
    tasks.filter(({ command }) => command !== '<NONEXISTENT>').map(({ taskId, hash }) => [taskId, hash]),
  )
}

/** The tasks whose cached pass is void after a line was added to this file, compared with the keys of the unchanged tree. */
function voidedBy(file: string, before: Record<string, string>): string[] {
  const path = join(copy, file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  writeFileSync(path, `${text ?? ''}\n`)
  const after = cacheKeys()
  if (text === undefined) rmSync(path)
  else writeFileSync(path, text)
  return Object.keys(before).filter((task) => before[task] !== after[task])
}

const tasksOf = (name: string) => ['lint', 'test', 'types'].map((task) => `@payments/${name}#${task}`)

test('a cached pass is void after any change of what it depends on', { timeout: 180_000 }, () => {
  const before = cacheKeys()
  const everything = Object.keys(before)
  expect(everything.length).toBeGreaterThan(60)
  // No package depends on another one's tests.
  expect(voidedBy('packages/customers/src/customers.test.ts', before).sort()).toEqual([TREE, ...tasksOf('customers')])
  const byKernel = voidedBy('packages/kernel/src/ids.ts', before)
  for (const name of ['accounts', 'relay', 'gateway', 'webhooks'])
    expect(byKernel).toEqual(expect.arrayContaining([TREE, ...tasksOf(name)]))
  // Tests run against the composed service, so they depend on its other domains, too.
  expect(voidedBy('packages/customers/src/service.ts', before)).toEqual(expect.arrayContaining(tasksOf('webhooks')))
  expect(voidedBy('packages/customers/src/a-new-file.ts', before)).toEqual(expect.arrayContaining(tasksOf('routes')))
  for (const file of ['tsconfig.json', 'biome.json', 'vitest.config.ts', 'docs/verify/verify.py'])
    expect(voidedBy(file, before).sort(), file).toEqual(everything.toSorted())
})
