import DataLoader from 'dataloader'
import { sqlState } from '../database/errors.ts'

const MOST = 256

/**
 * A statement that callers share: those that ask while one is under way are served by the next, each with an answer of its own. A caller
 * that is alone waits for nobody. Each statement runs after all of its callers have asked, and commits before any of them is answered.
 * Where a value or a constraint makes it fail, each caller's is run by itself, so that the fault of one is nobody else's.
 * @param run answers its items in their order. It must wait for no lock that the transaction of a caller may hold, or all wait for that one
 */
export function grouped<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let isUnderWay = false
  let sendNext: (() => void) | undefined
  // The loader takes no item that is null or undefined.
  const loader = new DataLoader<{ readonly item: Item }, Answer>(
    async (wrapped) => {
      isUnderWay = true
      try {
        return await runEach(
          run,
          wrapped.map(({ item }) => item),
        )
      } finally {
        isUnderWay = false
        sendNext?.()
        sendNext = undefined
      }
    },
    {
      cache: false,
      maxBatchSize: MOST,
      batchScheduleFn(send) {
        if (isUnderWay) sendNext = send
        else setImmediate(send)
      },
    },
  )
  return (item) => loader.load({ item })
}

async function runEach<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
  items: readonly Item[],
): Promise<readonly (Answer | Error)[]> {
  try {
    return await run(items)
  } catch (error) {
    if (items.length === 1 || !isOfOne(error)) throw error
    const settled = await Promise.allSettled(items.map((item) => run([item])))
    return settled.map((each) => (each.status === 'fulfilled' ? (each.value[0] as Answer) : (each.reason as Error)))
  }
}

/** An error of a value or of a constraint (PostgreSQL, Error Codes: classes 22 and 23). */
const isOfOne = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '')
