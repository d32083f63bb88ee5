/**
 * The effective scopes of a stored key: `api:read`, `api:write`. Legacy product scopes stay valid on secret keys: any legacy write scope grants
 * full write, any legacy read scope full read (specification, Authentication 4).
 */
export function effectiveScopes(type: string, scopes: readonly string[]): string[] {
  if (type === 'publishable') return ['collections:read']
  const writes = scopes.some((scope) => /:(write|create|update|delete|manage|\*)$/.test(scope))
  const reads = writes || scopes.some((scope) => /:(read|list)$/.test(scope))
  return [...(reads ? ['api:read'] : []), ...(writes ? ['api:write'] : [])]
}

/** What a stored key may do, in the words of its creation; null if its scopes grant nothing. */
export function accessOf(type: string, scopes: readonly string[]): 'read' | 'write' | 'read_write' | null {
  if (type === 'publishable') return 'read'
  const reads = scopes.some((scope) => effectiveScopes(type, [scope]).join() === 'api:read')
  const writes = effectiveScopes(type, scopes).includes('api:write')
  return writes ? (reads ? 'read_write' : 'write') : reads ? 'read' : null
}
