import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { OWNERS_ONLY, refusalOf } from './rights.ts'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const procedures = Object.keys(OWNERS_ONLY) as (keyof typeof OWNERS_ONLY)[]
const sources = globSync('{screens,parts}/**/*.tsx', { cwd: FOLDER }).map((file) => ({
  file,
  text: readFileSync(join(FOLDER, file), 'utf8'),
}))

test.each(procedures)('every screen that calls %s knows before whether the role may', (procedure) => {
  const call = new RegExp(`\\b${procedure.replace('.', '\\.')}\\.(mutate|query)\\b`)
  const calling = sources.filter(({ text }) => call.test(text))
  expect(calling).not.toEqual([])
  for (const { file, text } of calling)
    expect({ file, asks: text.includes(`refusalOf('${procedure}'`) }).toEqual({ file, asks: true })
})

test('a member is refused what owners do alone, in live or everywhere, and nobody else', () => {
  const as = (role: string, environment: 'test' | 'live') => ({ environment, me: { organisation: { role } } })
  expect(refusalOf('auth.invite', as('member', 'test'))).toMatch(/^Only owners/)
  expect(refusalOf('apiKeys.create', as('member', 'live'))).toMatch(/^Only owners/)
  expect(refusalOf('apiKeys.create', as('member', 'test'))).toBeUndefined()
  for (const role of ['owner', 'operator']) expect(refusalOf('auth.invite', as(role, 'live'))).toBeUndefined()
})
