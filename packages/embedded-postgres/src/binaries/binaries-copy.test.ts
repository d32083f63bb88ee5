import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/servers.ts'
import { trustedCopy } from './binaries-copy.ts'

const AS_ROOT = process.getuid?.() === 0

function native(): string {
  const folder = join(temporaryDirectory(), 'native')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin', 'postgres'), 'genuine', { mode: 0o770 })
  symlinkSync('postgres', join(folder, 'bin', 'postmaster'))
  return folder
}

/** Creates a copy as an attacker would: it looks complete. */
function plant(target: string): void {
  mkdirSync(join(target, 'bin'), { recursive: true })
  writeFileSync(join(target, 'complete'), '')
  writeFileSync(join(target, 'bin', 'postgres'), 'planted', { mode: 0o755 })
  symlinkSync('postgres', join(target, 'bin', 'postmaster'))
}

const program = (target: string) => readFileSync(join(target, 'bin', 'postgres'), 'utf8')

test('a copy is readable by every user and writable by its owner only', () => {
  const target = trustedCopy(native(), join(temporaryDirectory(), 'copy'))
  const modes = ['', 'bin', 'bin/postgres'].map((path) => (statSync(join(target, path)).mode & 0o777).toString(8))
  expect([program(target), ...modes]).toEqual(['genuine', '755', '755', '755'])
})

test.each([
  ['a folder that others can write', (target: string) => chmodSync(target, 0o777)],
  ['a program that others can write', (target: string) => chmodSync(join(target, 'bin', 'postgres'), 0o777)],
  // Only root can change the owner of a folder. Without root, the server runs as the user that made the copy.
  [
    'a folder of another user',
    (target: string) => (AS_ROOT ? chownSync(target, 65534, 65534) : chmodSync(target, 0o775)),
  ],
  [
    'a program of another user',
    (target: string) =>
      AS_ROOT ? chownSync(join(target, 'bin', 'postgres'), 65534, 65534) : chmodSync(join(target, 'bin'), 0o757),
  ],
])('planted programs are not used: %s', (_name, makeUnsafe) => {
  const target = join(temporaryDirectory(), 'copy')
  plant(target)
  makeUnsafe(target)
  expect(program(trustedCopy(native(), target))).toBe('genuine')
})

test('planted programs are not used: a link in the place of the folder', () => {
  const [planted, parent] = [join(temporaryDirectory(), 'planted'), temporaryDirectory()]
  plant(planted)
  symlinkSync(planted, join(parent, 'copy'))
  const target = trustedCopy(native(), join(parent, 'copy'))
  expect([program(target), program(planted)]).toEqual(['genuine', 'planted'])
})

test('a complete copy is used again; a copy with deleted files is replaced, and no temporary folder remains', () => {
  const [source, parent] = [native(), temporaryDirectory()]
  const target = trustedCopy(source, join(parent, 'copy'))
  const { ino } = statSync(target)
  expect(statSync(trustedCopy(source, target)).ino).toBe(ino)
  rmSync(join(target, 'bin', 'postgres'))
  expect(program(trustedCopy(source, target))).toBe('genuine')
  expect(readdirSync(parent)).toEqual(['copy'])
})

test('a temporary folder in which others can replace files is refused', () => {
  const parent = temporaryDirectory()
  chmodSync(parent, 0o777)
  expect(() => trustedCopy(native(), join(parent, 'copy'))).toThrow(/^TMPDIR: /)
  chmodSync(parent, 0o1777)
  expect(program(trustedCopy(native(), join(parent, 'copy')))).toBe('genuine')
})
