import { expect, test } from 'vitest'
import { accessOf, effectiveScopes } from './scopes.ts'

test('any legacy write scope grants full write, any legacy read scope full read, and a publishable key only reads collections', () => {
  const writes = ['api:write', 'transfers:write', 'offramps:*', 'swaps:create', 'a:update', 'a:delete', 'a:manage']
  for (const scope of writes) expect(effectiveScopes('secret', ['other', scope])).toEqual(['api:read', 'api:write'])
  for (const scope of ['api:read', 'transfers:read', 'collections:read', 'offramps:list'])
    expect(effectiveScopes('secret', ['other', scope])).toEqual(['api:read'])
  expect(effectiveScopes('publishable', ['api:write', 'transfers:*'])).toEqual(['collections:read'])
})

test('a scope that only resembles one of these grants nothing', () => {
  for (const scope of ['webhooks', 'write', 'read', 'a:write:b', 'a:writes', 'a:read:b', 'a:reads', 'xapi:reader', ''])
    expect([scope, ...effectiveScopes('secret', [scope])]).toEqual([scope])
  expect(effectiveScopes('secret', [])).toEqual([])
})

test('the access of a key is shown in the words of its creation, and nothing for scopes that grant nothing', () => {
  expect(accessOf('secret', ['api:read'])).toBe('read')
  expect(accessOf('secret', ['api:write'])).toBe('write')
  expect(accessOf('secret', ['api:read', 'api:write'])).toBe('read_write')
  expect(accessOf('secret', ['swaps:create', 'swaps:list'])).toBe('read_write')
  expect(accessOf('secret', ['webhooks'])).toBeNull()
  expect(accessOf('publishable', ['api:write'])).toBe('read')
})
