type Content = readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | object

/**
 * Remembers the content of an object and of all that it reaches: arrays, maps, sets and the fields of objects. What is returned puts it
 * back into the same objects, so that others which refer to them see it too.
 */
export function remember(root: object): () => void {
  const contents = new Map<object, Content>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || contents.has(value)) return
    if (Array.isArray(value)) contents.set(value, [...value])
    else if (value instanceof Map) contents.set(value, new Map(value))
    else if (value instanceof Set) contents.set(value, new Set(value))
    else contents.set(value, { ...value })
    for (const inner of value instanceof Map || value instanceof Set ? value.values() : Object.values(value))
      visit(inner)
  }
  visit(root)
  return () => {
    for (const [value, content] of contents) restore(value, content)
  }
}

function restore(value: object, content: Content): void {
  if (Array.isArray(value)) value.splice(0, value.length, ...(content as unknown[]))
  else if (value instanceof Map) {
    value.clear()
    for (const [key, inner] of content as Map<unknown, unknown>) value.set(key, inner)
  } else if (value instanceof Set) {
    value.clear()
    for (const inner of content as Set<unknown>) value.add(inner)
  } else {
    for (const key of Object.keys(value)) if (!(key in content)) Reflect.deleteProperty(value, key)
    Object.assign(value, content)
  }
}
