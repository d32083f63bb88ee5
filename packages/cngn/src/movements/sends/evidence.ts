import type { ProviderTransaction } from '../../provider/provider.ts'
import { SKEW_SECONDS } from '../../provider/schedule.ts'
import { sameAmount } from '../contradictions.ts'
import { ANYWHERE, destinationKey } from './fingerprint.ts'

// What a provider's list says of the orders whose call failed. It shows amount, destination and time, and no reference of ours: one
// list says little, so an order is found only by what fits nothing else, and is sent again only when nothing speaks against it.

/** A movement that was made so long before an order was first claimed may still be the order: clocks, and times in whole seconds. */
const BEFORE_MS = 5_000
/** A call that sends takes no longer than this: afterwards no answer comes, and a later movement is not of that call. */
export const CALL_SECONDS = 120
/** Known movements so near to an order must be in a list that is to prove something about it. */
const AROUND_MS = 600_000
/** Orders are sent so often at most without an answer. */
const ATTEMPTS = 5
/** When operators are told of an order that stays unresolved, ms. */
const ATTENTION_MS = 3_600_000

/** An order without a reference, that was or may have been sent. */
export interface OrderInDoubt {
  readonly id: string
  readonly status: 'claimed' | 'unresolved'
  readonly amount: bigint
  readonly channel: 'payout' | 'withdrawal'
  /** Where it went; {@link ANYWHERE}: that is not known. */
  readonly target: string
  /** When its first attempt began: a movement that was there before is not the order. */
  readonly firstSentAt: Date
  /** When its last attempt began, at the latest. */
  readonly sentUntil: Date
  /** When the last call failed; null: its process has not said so. */
  readonly failedAt: Date | null
  /** What the provider answered: that it initiated nothing, or why it refuses the order; null: the outcome is unknown. */
  readonly refusal: string | null
  /** Orders that look the same, and that a restored database has forgotten to have sent, if they were. They wait for this one. */
  readonly equalsInDoubt: number
  /** When the first complete list that did not show it was read. */
  readonly absentSince: Date | null
  /** What the treasury had too much when it was claimed. */
  readonly surplus: bigint
  readonly attempts: number
  /** Its object waits for a second person: if it was not sent, its money may be given back instead. */
  readonly waits: boolean
}

/** A movement out that no order has, and when a list showed it first. */
export interface Stranger {
  readonly movement: ProviderTransaction
  readonly listedAt: Date | undefined
}

/** The treasury, read before the list, and the books, read before and after it. Minor units of cNGN. */
export interface TreasuryEvidence {
  readonly balance: bigint
  /** What must be there, by the journal: the larger of both. */
  readonly journal: bigint
  /** What arrived, by the list or an earlier one, and is not in the journal: it may hide what left. */
  readonly unbooked: bigint
  /** Of the journal: sent or being sent, this order included. */
  readonly leaving: bigint
}

/** One list, and what is known beside it. */
export interface Evidence {
  /** When reading the list began. */
  readonly began: Date
  readonly complete: boolean
  /** False: it has an element that cannot be read, or money that arrived of an unknown amount. */
  readonly readable: boolean
  readonly strangers: readonly Stranger[]
  readonly references: ReadonlySet<string>
  /** Movements that are known from before, the oldest first. */
  readonly known: readonly { readonly reference: string; readonly at: Date }[]
  /** When money moved last that the journal has and this account has not, because it moved with other credentials; null: not since the orders. */
  readonly movedElsewhereAt: Date | null
  /** Null: it was not read. */
  readonly treasury: TreasuryEvidence | null
}

export interface Policy {
  readonly knowsOrders: boolean
  readonly certainAfterSeconds: number
  readonly listsApartSeconds: number
}

/**
 * `find`: the movement is the order. `wait`: something speaks against the order's absence (`seen`: a movement may be it); `tell`:
 * operators hear of it. `note_absent`: the first list without it. `send_again`: certainly not sent. `refused`: certainly not sent, and
 * never will be. `nothing`: this list says too little.
 */
export type Decision =
  | { readonly do: 'find'; readonly reference: string }
  | { readonly do: 'wait'; readonly seen: boolean; readonly tell: boolean }
  | { readonly do: 'note_absent' | 'send_again' | 'refused' | 'nothing' }

/** Could a movement be an order? `exactly`: everything fits. `possibly`: what the list leaves out, or the time, leaves it open. */
function fits(order: OrderInDoubt, { movement: tx, listedAt }: Stranger): 'exactly' | 'possibly' | 'no' {
  const first = order.firstSentAt.getTime()
  // A failed movement is another attempt, or one that moved nothing; one that was listed before the first claim was there already.
  if (tx.status === 'failed' || tx.channel !== order.channel || (listedAt && listedAt.getTime() < first)) return 'no'
  if (tx.amount !== null && !sameAmount(tx.amount, order.amount)) return 'no'
  const isKnown = order.target !== ANYWHERE && tx.targets.length > 0
  if (isKnown && !tx.targets.some((target) => destinationKey(target) === order.target)) return 'no'
  if (tx.at && tx.at.getTime() < first - SKEW_SECONDS * 1000) return 'no'
  const inTime =
    tx.at && tx.at.getTime() >= first - BEFORE_MS && tx.at.getTime() <= order.sentUntil.getTime() + CALL_SECONDS * 1000
  // Until its lasting reference is known, it may be the movement of an order that has it.
  return inTime && !tx.provisional && tx.amount !== null && isKnown ? 'exactly' : 'possibly'
}

/** What is done with each order, by one list. A movement never decides two of them. */
export const decide = (
  orders: readonly OrderInDoubt[],
  evidence: Evidence,
  policy: Policy,
): ReadonlyMap<string, Decision> =>
  new Map(orders.map((order) => [order.id, decideOne(order, orders, evidence, policy)]))

function decideOne(order: OrderInDoubt, orders: readonly OrderInDoubt[], evidence: Evidence, policy: Policy): Decision {
  const old = evidence.began.getTime() - order.sentUntil.getTime()
  const are = (how: string) => evidence.strangers.filter((stranger) => fits(order, stranger) === how)
  const [one, ...more] = are('exactly')
  // No other order goes to an address that a converter made for one: what fits this one is not one whose address is unknown.
  const others = one
    ? orders.filter((other) => other !== order && other.target !== ANYWHERE && fits(other, one) !== 'no')
    : []
  // Of equal orders that may all have been sent it does not matter which movement is whose.
  if (one && more.length <= order.equalsInDoubt && others.length === 0)
    return { do: 'find', reference: one.movement.reference }
  if (one || are('possibly').length > 0 || !evidence.readable)
    return { do: 'wait', seen: true, tell: old >= policy.certainAfterSeconds * 1000 }
  if (!evidence.complete) return { do: 'nothing' }
  return policy.knowsOrders ? ofKnown(order, old, evidence, policy) : ofAbsent(order, old, evidence, policy)
}

/** The provider's reference of an order is our id, so sending it again sends it once. To give its money back, a second list must lack it. */
function ofKnown(
  { waits, absentSince }: OrderInDoubt,
  old: number,
  { began }: Evidence,
  { certainAfterSeconds, listsApartSeconds }: Policy,
): Decision {
  if (old <= 0 || old < certainAfterSeconds * 1000) return { do: 'nothing' }
  if (!waits) return { do: 'send_again' }
  if (!absentSince) return { do: 'note_absent' }
  return { do: began.getTime() - absentSince.getTime() < listsApartSeconds * 1000 ? 'nothing' : 'send_again' }
}

/** No movement of the list can be the order. */
function ofAbsent(order: OrderInDoubt, old: number, evidence: Evidence, policy: Policy): Decision {
  const began = evidence.began.getTime()
  // The call may still be answered, or the list was read before it failed.
  if (order.status === 'claimed' || began <= (order.failedAt ?? order.sentUntil).getTime()) return { do: 'nothing' }
  if (!showsKnown(order, evidence)) return { do: 'wait', seen: true, tell: old >= ATTENTION_MS }
  // The provider itself says that it did nothing, and its list agrees.
  if (order.refusal) return { do: order.refusal === NOT_INITIATED ? 'send_again' : 'refused' }
  if (!order.absentSince) return { do: 'note_absent' }
  if (began - order.absentSince.getTime() < policy.listsApartSeconds * 1000) return { do: 'nothing' }
  if (old < policy.certainAfterSeconds * 1000 || !evidence.treasury) return { do: 'nothing' }
  // What left another account is missing in the journal, and hides what left this one.
  if (evidence.movedElsewhereAt && evidence.movedElsewhereAt >= order.firstSentAt)
    return { do: 'wait', seen: false, tell: old >= ATTENTION_MS }
  const { balance, journal, unbooked, leaving } = evidence.treasury
  const missing = journal + order.surplus + unbooked - balance
  const exhausted = order.attempts >= ATTEMPTS
  // What is there too much may be money that no list has shown yet, and may hide what left.
  if (missing === 0n && !exhausted) return { do: 'send_again' }
  // What other orders took is missing too, until they have ended; what arrives is, until it is booked.
  const unexplained = missing > leaving - order.amount + unbooked
  return { do: 'wait', seen: false, tell: exhausted || unexplained || old >= ATTENTION_MS }
}

/** The refusal of an order that may be sent again. */
export const NOT_INITIATED = 'not_initiated'

/** Does a list show the movements that are known around the time of an order, and the last one before it? One that does not proves nothing. */
function showsKnown({ firstSentAt, sentUntil }: OrderInDoubt, { known, references }: Evidence): boolean {
  const [from, to] = [firstSentAt.getTime() - AROUND_MS, sentUntil.getTime() + AROUND_MS]
  const last = known.findLast(({ at }) => at <= firstSentAt)
  const around = known.filter(({ at }) => at.getTime() >= from && at.getTime() <= to)
  return [...around, ...(last ? [last] : [])].every(({ reference }) => references.has(reference))
}
