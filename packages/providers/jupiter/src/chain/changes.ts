import { ProviderError } from '@payments/provider-http'
import { z } from 'zod'
import type { Effects, History } from './history.ts'

/** Pages that one read takes of a history, at most: one account with a long history must not delay the others. */
const PAGES_OF_READ = 1
/** Small changes of a history that takes several reads are added up for each page: strangers choose how many there are. */
const SMALL = 10_000n

const Integer = z.string().regex(/^-?\d+$/)
const Change = z.tuple([z.string(), Integer, z.number().int()])
/** How far the history of an account was read. The domain keeps it as text. */
const Progress = z.object({
  /** The newest transaction that was read, and the sum of all changes up to it. */
  last: z.string().nullable(),
  sum: Integer,
  /** A read that did not reach `last` yet, from the newest transaction backwards. */
  walk: z
    .object({
      newest: z.string(),
      slot: z.number().int(),
      held: Integer,
      before: z.string(),
      sum: Integer,
      changes: z.array(Change),
    })
    .optional(),
})
type Progress = z.infer<typeof Progress>

/** A change of an account by a finalized transaction, or by several small ones of a page. */
export interface AccountChange {
  readonly txHash: string
  readonly amount: bigint
  readonly at: Date
}

export interface AccountChanges {
  /** Since the read before, oldest first; none until the read is complete, because only then their sum can be compared. */
  readonly changes: readonly AccountChange[]
  readonly readTo: string
  readonly complete: boolean
}

/** The account whose history is read: what it holds at a slot, and what a transaction changed of that. */
export interface ReadAccount {
  readonly account: string
  readonly slot: number
  readonly held: bigint
  /** Transactions that failed changed it too: they cost their fee. */
  readonly failedToo?: boolean
  amountOf(effects: Effects): bigint
}

const NEVER: Progress = { last: null, sum: '0' }

/**
 * Reads what changed an account since `readTo`. The sum of all changes must be what the account holds: a node that left a transaction
 * out, or made one up, is found out. Bounded: of a long history each call reads a part, until one is `complete`.
 * @throws ProviderError `unavailable` when the node's answers contradict each other, as they may for a moment
 */
export async function readChanges(
  history: History,
  of: ReadAccount,
  readTo: string | null | undefined,
): Promise<AccountChanges> {
  const progress = readTo ? Progress.parse(JSON.parse(readTo)) : NEVER
  const { slot, held } = progress.walk ? { slot: progress.walk.slot, held: BigInt(progress.walk.held) } : of
  let newest = progress.walk?.newest
  let before = progress.walk?.before
  let sum = BigInt(progress.walk?.sum ?? 0)
  const changes = [...(progress.walk?.changes ?? [])]
  for (let pages = 1; ; pages++) {
    const { entries, oldest, end } = await history.page(of.account, {
      upTo: slot,
      ...(before ? { before } : {}),
      ...(progress.last ? { until: progress.last } : {}),
    })
    newest ??= entries[0]?.signature
    const read = await effectsOf(history, entries, of)
    sum += read.reduce((total, { amount }) => total + amount, 0n)
    const isPart = !end || progress.walk !== undefined
    changes.push(...(isPart ? smallAdded(read) : read).map(stored))
    if (end) {
      if (BigInt(progress.sum) + sum === held)
        return {
          changes: changes.map(restored).toReversed(),
          readTo: JSON.stringify({ last: newest ?? progress.last, sum: held.toString() } satisfies Progress),
          complete: true,
        }
      history.forget(entries.map(({ signature }) => signature))
      // What earlier reads have added up may be the mistake: it is read again from its beginning.
      if (progress.walk)
        return { changes: [], readTo: JSON.stringify({ ...progress, walk: undefined }), complete: false }
      throw new ProviderError('unavailable', 'The history of an account does not sum up to what it holds')
    }
    before = oldest
    // Everything on the page is newer than the slot: the next one begins where it ends.
    if (newest === undefined || before === undefined || pages < PAGES_OF_READ) continue
    const walk = { newest, slot, held: held.toString(), before, sum: sum.toString(), changes }
    return { changes: [], readTo: JSON.stringify({ ...progress, walk } satisfies Progress), complete: false }
  }
}

/** What the successful transactions of a page changed, newest first. */
async function effectsOf(
  history: History,
  entries: readonly { readonly signature: string; readonly failed: boolean }[],
  { amountOf, failedToo }: ReadAccount,
): Promise<AccountChange[]> {
  const counted = entries.filter(({ failed }) => failedToo || !failed)
  const effects = await history.effects(counted.map(({ signature }) => signature))
  return counted.flatMap(({ signature, failed }, index) => {
    const effect = effects[index]
    if (!effect || effect.failed !== failed)
      throw new ProviderError('unavailable', 'The node lacks a transaction of its own list')
    const amount = amountOf(effect)
    return amount === 0n ? [] : [{ txHash: signature, amount, at: effect.at }]
  })
}

/** The same, in which small changes in are one, at the time of the newest: what arrived in time may count as late, never the other way round. */
function smallAdded(changes: readonly AccountChange[]): AccountChange[] {
  const isSmall = ({ amount }: AccountChange) => amount > 0n && amount < SMALL
  const small = changes.filter(isSmall)
  const [newest] = small
  if (!newest) return [...changes]
  const amount = small.reduce((total, each) => total + each.amount, 0n)
  return [{ ...newest, amount }, ...changes.filter((each) => !isSmall(each))]
}

const stored = ({ txHash, amount, at }: AccountChange): z.infer<typeof Change> => [
  txHash,
  amount.toString(),
  at.getTime(),
]
const restored = ([txHash, amount, at]: z.infer<typeof Change>): AccountChange => ({
  txHash,
  amount: BigInt(amount),
  at: new Date(at),
})
