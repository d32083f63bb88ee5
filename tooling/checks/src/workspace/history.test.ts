import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commitsSince, filesFrom, git, releaseSubject } from './history.ts'

test('a bench is made of what it imports and of the programs that it starts, and of no other bench', () => {
  expect(filesFrom('tooling/bench/src/requests/requests.ts')).toEqual(
    expect.arrayContaining([
      ...['tooling/bench/src/requests/requests.ts', 'tooling/bench/src/requests/floor.ts'],
      ...['tooling/bench/src/servers/load.ts', 'tooling/bench/src/tables/seed.ts'],
    ]),
  )
  expect(filesFrom('tooling/bench/src/growth/memory.ts')).not.toContain('tooling/bench/src/growth/payments.ts')
})

test('a file that is not there is made of nothing that could be recorded', () => {
  expect(() => filesFrom('tooling/bench/src/undefined')).toThrow('ENOENT')
})

test('a record is as old as the commits that changed what it covers, of which a release is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-history-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  git(['init', '--quiet'], folder)
  const commit = (file: string, subject: string) => {
    writeFileSync(join(folder, file), subject)
    git(['add', '--all'], folder)
    git(['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message', subject], folder)
    return git(['rev-parse', 'HEAD'], folder).trim()
  }
  const recorded = commit('covered', 'service: begin')
  commit('other', 'docs: say more')
  commit('covered', releaseSubject('1.0.0'))
  expect(commitsSince(recorded, ['covered'], folder)).toBe(0)
  commit('covered', 'service: release: 2 go on')
  expect(commitsSince(recorded, ['covered'], folder)).toBe(1)
  expect(commitsSince('0123456789ab', ['covered'], folder)).toBeUndefined()
})
