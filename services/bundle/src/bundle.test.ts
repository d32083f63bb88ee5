import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundled, folderOf, places, type Stamp } from './bundle.ts'

const stamp = () => JSON.parse(readFileSync(places.stamp, 'utf8')) as Stamp

test('the bundle is made of every source that a process loads, and of no test', () => {
  const { sources } = stamp()
  expect(bundled('service')).toBeDefined()
  expect(sources).toContain('services/gateway/src/server.ts')
  expect(sources).toContain('packages/kernel/src/actor.ts')
  expect(sources).toContain('services/maintenance/src/commands/migrate.ts')
  expect(sources).toContain('services/bundle/src/build.ts')
  expect(sources.filter((file) => /\.test\.ts$|\/test\/|^tooling\//.test(file))).toEqual([])
})

test('a service whose sources have changed since its bundle was built starts from the sources', () => {
  const copy = mkdtempSync(join(tmpdir(), 'payments-bundle-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  const found = () =>
    execFileSync(
      process.execPath,
      ['--eval', `import('${own}').then(({ bundled }) => console.log(bundled('service') !== undefined))`],
      { encoding: 'utf8' },
    ).trim()
  const own = join(copy, 'services/bundle/src/bundle.ts')
  for (const file of [...stamp().sources, 'pnpm-lock.yaml']) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(places.root, file), join(copy, file))
  }
  expect(found()).toBe('false')
  const dist = join(copy, 'services/bundle/dist')
  const folder = join(dist, basename(folderOf(stamp().digest)))
  mkdirSync(folder, { recursive: true })
  cpSync(places.stamp, join(dist, 'bundle.json'))
  expect(found()).toBe('false')
  writeFileSync(join(folder, 'service.mjs'), '')
  expect(found()).toBe('true')
  writeFileSync(join(copy, 'packages/kernel/src/actor.ts'), 'export const changed = true')
  expect(found()).toBe('false')
})
