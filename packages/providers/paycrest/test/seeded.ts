import type { Random } from '#testing'
import type { Wire } from './book.ts'

/** Fields that the server omits where they are empty (types/types.go, `omitempty`). */
const OPTIONAL = [
  'amountInUsd',
  'amountPaid',
  'amountReturned',
  'percentSettled',
  'rate',
  'txHash',
  'transactionLogs',
] as const

/**
 * Answers about an order that keep to the documents and are as bad as they allow: optional fields are missing at random, and earlier
 * answers come again, in any order, instead of the present one. After at most two of them the present one follows.
 */
export function seededAnswers(random: Random): (id: string, now: Wire) => Wire {
  const told = new Map<string, Wire[]>()
  const late = new Map<string, number>()
  return (id, now) => {
    const history = told.get(id) ?? []
    told.set(id, [...history, now])
    const behind = late.get(id) ?? 0
    const isOld = history.length > 0 && behind < 2 && random.chance(0.4)
    late.set(id, isOld ? behind + 1 : 0)
    const answer = { ...(isOld ? random.pick(history) : now) }
    // The present answer after two late ones is complete: nothing is withheld for ever.
    if (isOld || behind < 2) for (const field of OPTIONAL) if (random.chance(0.3)) delete answer[field]
    return answer
  }
}
