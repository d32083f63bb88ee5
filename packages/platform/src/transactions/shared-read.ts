/**
 * A read that callers share: each gets an answer of a read that began after it asked, and those that ask while one is under way share the next.
 * However many ask at the same time, one is under way, and none learns less than by a read of its own.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    const mine = read().finally(() => {
      if (current === mine) current = undefined
    })
    current = mine
    return mine
  }
  const afterwards = (): Promise<T> => {
    next = undefined
    return begin()
  }
  return () => {
    if (next) return next
    if (!current) return begin()
    next = current.then(afterwards, afterwards)
    return next
  }
}
