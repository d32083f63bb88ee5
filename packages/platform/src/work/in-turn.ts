/** The next page starts at the latest this long after the last, ms: one that waits for the database holds up no other. */
const LONGEST_MS = 50

/** When the next page may start. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * Runs one page of a long list or an export: reading it and turning it into text. The pages of a process take turns, first come first
 * served, and between two of them everything else that is ready runs. So however many long replies there are at once, another
 * request waits for one page of them.
 * @throws what `page` throws; the next page runs all the same
 */
export function inTurn<T>(page: () => Promise<T>): Promise<T> {
  const result = turn.then(page)
  turn = turn.then(() => ended(result))
  return result
}

function ended(page: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_MS)
    const end = () => {
      clearTimeout(timer)
      setImmediate(resolve)
    }
    page.then(end, end)
  })
}
