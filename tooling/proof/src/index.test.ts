import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesFrom, root } from '@payments/checks'
import { expect, test } from 'vitest'
import { ownFiles, proofs } from './index.ts'

test('the record of a proof covers every folder that the proof is made of, and nothing that is not there', () => {
  const imports = [...readFileSync(join(import.meta.dirname, 'index.ts'), 'utf8').matchAll(/import\('(.+)'\)/g)]
  for (const [index, [name, proof]] of Object.entries(proofs).entries()) {
    const files = filesFrom(join('tooling/proof/src', imports[index]?.[1] as string))
    const folders = files.flatMap((file) => file.match(/(?<=^tooling\/proof\/src\/)[\w-]+(?=\/)/) ?? [])
    expect(folders, name).not.toEqual([])
    // A proof also starts programs, which may import more.
    expect(proof.folders, name).toEqual(expect.arrayContaining([...new Set(folders)]))
    for (const path of ownFiles(proof)) expect(existsSync(join(root, path)), path).toBe(true)
  }
})
