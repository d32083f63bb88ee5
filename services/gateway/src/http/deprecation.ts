import type { OperationMeta } from '@payments/platform'

/** The headers of a deprecated operation: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export function deprecationHeaders({ deprecated }: Pick<OperationMeta, 'deprecated'>): Record<string, string> {
  if (!deprecated) return {}
  const since = Math.floor(Date.parse(deprecated.since) / 1000)
  return { Deprecation: `@${since}`, Sunset: new Date(deprecated.sunset).toUTCString() }
}
