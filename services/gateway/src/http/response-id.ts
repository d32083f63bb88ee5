import { isId } from '@payments/kernel'

/** The last id in a path: the innermost object that it names. */
export const idIn = (params: Readonly<Record<string, string>>): string | undefined =>
  Object.values(params).findLast(isId)

/** The id of the object that a command answers with; undefined if its reply is no object with an id. */
export function idOf(data: unknown): string | undefined {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined
  return typeof id === 'string' && isId(id) ? id : undefined
}
