import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '@payments/checks'
import { expect, test } from 'vitest'
import { ownFiles, proofs } from './index.ts'

const IMPORT = /(?:from|import\() ?'(\.[^']+\.ts)'/g

/** The folders of what a file imports here, and what that imports. */
function foldersOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set()
  seen.add(file)
  const folder = relative(import.meta.dirname, file).split('/')[0] as string
  const imported = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path]) =>
    join(dirname(file), path as string),
  )
  return new Set([folder, ...imported.flatMap((each) => [...foldersOf(each, seen)])])
}

test('the record of a proof covers every folder that the proof is made of, and nothing that is not there', () => {
  const imports = [...readFileSync(join(import.meta.dirname, 'index.ts'), 'utf8').matchAll(/import\('(.+)'\)/g)]
  for (const [index, [name, proof]] of Object.entries(proofs).entries()) {
    const entry = join(import.meta.dirname, imports[index]?.[1] as string)
    const folders = [...foldersOf(entry)].filter((each) => !['proof.ts', '..'].includes(each))
    // A proof also starts programs, which may import more.
    expect(proof.folders, name).toEqual(expect.arrayContaining(folders))
    for (const path of ownFiles(proof)) expect(existsSync(join(root, path)), path).toBe(true)
  }
})
