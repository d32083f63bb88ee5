import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isOwner, limitsOf, OWNERS_ONLY, type Procedure, ROLES, RULES, refusalOf } from './rights.ts'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const procedures = [...new Set([...Object.keys(OWNERS_ONLY), ...Object.values(RULES).flat()])] as Procedure[]
const sources = globSync('{screens,parts}/**/*.tsx', { cwd: FOLDER }).map((file) => ({
  file,
  text: readFileSync(join(FOLDER, file), 'utf8'),
}))

test.each(procedures)('every screen that calls %s knows before whether the role may', (procedure) => {
  const call = new RegExp(`\\b${procedure.replaceAll('.', '\\.')}\\.(mutate|query)\\b`)
  const calling = sources.filter(({ text }) => call.test(text))
  expect(calling).not.toEqual([])
  const ways = [`refusalOf('${procedure}'`, `calls="${procedure}"`, `calls: '${procedure}'`]
  for (const { file, text } of calling)
    expect({ file, asks: ways.some((way) => text.includes(way)) }).toEqual({ file, asks: true })
})

const as = (role: string, environment: 'test' | 'live' = 'test') => ({ environment, me: { organisation: { role } } })

test('what only owners do is refused to every other role, in live or everywhere', () => {
  for (const role of ['member', 'finance', 'developer', 'viewer']) {
    expect(refusalOf('auth.invite', as(role))).toMatch(/^Only owners/)
    expect(refusalOf('apiKeys.create', as(role, 'live'))).toMatch(/^Only owners of the organisation/)
  }
  for (const role of ['owner', 'operator'])
    for (const procedure of procedures) expect(refusalOf(procedure, as(role, 'live'))).toBeUndefined()
})

test('each role is refused what the others do, with what a screen says of it', () => {
  const refused = (role: string, procedure: Procedure) => refusalOf(procedure, as(role)) !== undefined
  const rules = ['offramps.create', 'webhooks.create', 'branding.uploadLogo'] as const
  expect(ROLES.map(([role]) => [role, ...rules.map((each) => refused(role, each))])).toEqual([
    ['member', false, false, false],
    ['finance', false, true, false],
    ['developer', true, false, false],
    ['viewer', true, true, true],
    ['owner', false, false, false],
  ])
  // Who is refused something in test reads on every screen what the role is for.
  for (const [role] of ROLES)
    expect([role, limitsOf(role) !== undefined]).toEqual([role, rules.some((each) => refused(role, each))])
  expect(ROLES.filter(([role]) => isOwner(role)).map(([role]) => role)).toEqual(['owner'])
})
