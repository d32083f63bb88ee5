import DataLoader from 'dataloader'
import { sqlState } from '../errors.ts'

/** How callers share statements. */
interface Sharing {
  /** Callers that one statement serves at most. */
  readonly most?: number
  /** Statements that are under way at most. */
  readonly atOnce?: number
  /** Callers that wait before another one is sent beside one that is under way; fewer wait for {@link PATIENCE_MS} at most. */
  readonly enough?: number
}

/** A statement that is under way for longer may wait for a lock. */
const PATIENCE_MS = 5

/**
 * A statement that callers share: those that ask while one is under way are served by the next, each with an answer of its own. A caller
 * that is alone waits for nobody. Each statement runs after all of its callers have asked, and commits before any of them is answered.
 * Where it fails because of what one of them asked, each caller's is run by itself, so that the fault of one is nobody else's.
 * @param run answers its items in their order. It must wait for no lock that the transaction of a caller may hold, or all wait for that one
 */
export function grouped<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { most = 256, atOnce = 1, enough = 1 }: Sharing = {},
): (item: Item) => Promise<Answer> {
  let underWay = 0
  let late: NodeJS.Timeout | undefined
  const unsent: Batch[] = []
  let newest: Batch | undefined
  const waiting = () => unsent.reduce((sum, { size }) => sum + size, 0)
  const next = (isLate = false): void => {
    const [first] = unsent
    if (!first || underWay >= atOnce) return
    if (underWay > 0 && !isLate && waiting() < enough) {
      late ??= setTimeout(() => {
        late = undefined
        next(true)
      }, PATIENCE_MS)
      return
    }
    clearTimeout(late)
    late = undefined
    unsent.shift()
    underWay++
    setImmediate(first.send)
    next()
  }
  // The loader takes no item that is null or undefined.
  const loader = new DataLoader<{ readonly item: Item }, Answer>(
    async (wrapped) => {
      try {
        return await runEach(
          run,
          wrapped.map(({ item }) => item),
        )
      } finally {
        underWay--
        next()
      }
    },
    {
      cache: false,
      maxBatchSize: most,
      batchScheduleFn(send) {
        newest = { send, size: 0 }
        unsent.push(newest)
      },
    },
  )
  return (item) => {
    const answer = loader.load({ item })
    if (newest) newest.size++
    next()
    return answer
  }
}

/** {@link grouped} statements, shared by the callers of one pool or runtime each. */
export function groupedBy<Owner extends object, Item, Answer>(
  run: (owner: Owner, items: readonly Item[]) => Promise<readonly Answer[]>,
): (owner: Owner, item: Item) => Promise<Answer> {
  const shared = new WeakMap<Owner, (item: Item) => Promise<Answer>>()
  return (owner, item) => {
    const own = shared.get(owner) ?? grouped((items: readonly Item[]) => run(owner, items))
    shared.set(owner, own)
    return own(item)
  }
}

/** Callers that one statement will serve. It takes more until it is sent. */
interface Batch {
  readonly send: () => void
  size: number
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

/**
 * An error that one item can cause: of a value or a constraint, of a row that is written twice, of a deadlock or a wait for a lock, or
 * raised by a trigger (PostgreSQL, Error Codes: classes 21, 22, 23, 40, P0 and `lock_not_available`).
 */
const isOfOne = (error: unknown): boolean => /^(2[123]|40|P0|55P03)/.test(sqlState(error) ?? '')
