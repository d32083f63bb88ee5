/**
 * A read that callers share: each gets an answer of a read that began after it asked. Those that ask in the same turn of the event loop share one,
 * and those that ask while one is under way share the next. However many ask at the same time, one is under way, and none learns less than by a read of its own.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= underWay.then(endOfTurn).then(() => {
      next = undefined
      const mine = read()
      underWay = mine.catch(() => undefined)
      return mine
    })
    return next
  }
}

/** Whatever is answered in this turn has asked by then. */
const endOfTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
