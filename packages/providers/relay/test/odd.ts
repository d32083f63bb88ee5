import type { Wire } from './wire.ts'

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Fields of a request that Relay's types mark as optional: each may be absent or null in any answer (relay-kit, `api.ts`, requests/v3). */
const OPTIONAL = [
  'user',
  'refundTo',
  'createdAt',
  'updatedAt',
  'requestType',
  'features',
  'supersededByRequestId',
  'protocol',
  'protocol.deposit',
  'protocol.deposit.origin',
  'protocol.deposit.origin.amount',
  'protocol.deposit.origin.chainId',
  'protocol.deposit.origin.currency',
  'protocol.deposit.origin.transactionId',
  'depositAddress',
  'depositAddress.address',
  'depositAddress.depositTxHash',
  'data',
  'data.failReason',
  'data.refundFailReason',
  'data.inTxs',
  'data.outTxs',
  'data.route',
  'data.route.quoted',
  'data.route.actual',
  'data.route.actual.origin',
  'data.route.actual.destination',
  'data.route.actual.origin.inputCurrency',
  'data.route.actual.origin.inputCurrency.amount',
  'data.route.actual.origin.inputCurrency.amountUsd',
  'data.route.actual.destination.outputCurrency',
  'data.route.actual.destination.outputCurrency.amount',
]

/** How often a field is left out. */
const SHARE = 0.06

/** A relay that is as odd as its documents allow: it omits optional fields, repeats and reorders elements, and answers with an earlier state. */
export function oddly(seed: number): (page: Wire[]) => Wire[] {
  const random = randomOf(seed)
  const earlier = new Map<unknown, Wire>()
  const omit = (one: Wire): Wire => {
    const copy = structuredClone(one)
    for (const path of OPTIONAL) if (random() < SHARE) cut(copy, path.split('.'), random() < 0.5)
    return copy
  }
  const delayed = (one: Wire): Wire => {
    const before = earlier.get(one.id)
    earlier.set(one.id, one)
    return before && random() < 0.2 ? before : one
  }
  return (page) =>
    page
      .map(delayed)
      .flatMap((one) => (random() < 0.2 ? [omit(one), omit(one)] : [omit(one)]))
      .map((one) => ({ one, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one)
}

function cut(of: Wire, [name, ...rest]: string[], toNull: boolean): void {
  const value = of[name as string]
  if (value === null || value === undefined) return
  if (rest.length > 0) cut(value as Wire, rest, toNull)
  else if (toNull) of[name as string] = null
  else delete of[name as string]
}
