import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { refusedLicences } from './licences.ts'
import { root } from './workspace/workspace.ts'

test('every package that runs with the service has a licence that a business may use and pass on', () => {
  expect(refusedLicences(root)).toEqual([])
})

test('a licence that is not allowed, and none, are refused, also behind another package; tools of contributors are not asked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-licences-'))
  const write = (path: string, content: object) => {
    const file = join(folder, path, 'package.json')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(content))
  }
  try {
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), 'packages:\n  - packages/*\n  - tooling/*\n')
    write('packages/one', { name: '@payments/one', dependencies: { fine: '1' } })
    write('tooling/two', { name: '@payments/two', dependencies: { 'of-a-tool': '1' } })
    write('node_modules/fine', { name: 'fine', license: 'MIT', dependencies: { behind: '1', silent: '1' } })
    write('node_modules/behind', { name: 'behind', license: 'AGPL-3.0-only' })
    write('node_modules/silent', { name: 'silent' })
    write('node_modules/of-a-tool', { name: 'of-a-tool', license: 'GPL-3.0' })
    expect(refusedLicences(folder)).toEqual(['behind: AGPL-3.0-only', 'silent: none'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
