import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@payments/checks'
import { expect, test } from 'vitest'
import { ownFiles, proofs } from './index.ts'

test.each(Object.entries(proofs))('the record of %s covers its folder, and what that is made of', (_name, proof) => {
  expect(String(proof.load)).toContain(`/${proof.folder}/index.ts`)
  const own = ownFiles(proof)
  expect(own).toContain(`tooling/proof/src/${proof.folder}/index.ts`)
  for (const path of own) expect(existsSync(join(root, path.replace(/^:!/, ''))), path).toBe(true)
})

test('a record covers what another proof has for it, and nothing else of that proof', () => {
  const own = (name: string) => ownFiles(proofs[name] as (typeof proofs)[string])
  expect(own('fuzz')).toContain('tooling/proof/src/documents/document.ts')
  expect(own('production')).toContain('tooling/proof/src/production/inside.ts')
  expect(own('crash').filter((file) => file.includes('/cells/'))).toEqual([])
})
