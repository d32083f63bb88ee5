import type { Random } from '#testing'
import type { Wire } from './wire.ts'

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
export function oddly(random: Random): (page: Wire[]) => Wire[] {
  const earlier = new Map<unknown, Wire>()
  const omit = (one: Wire): Wire => {
    const copy = structuredClone(one)
    random.leaveOut(copy, OPTIONAL, SHARE)
    return copy
  }
  const delayed = (one: Wire): Wire => {
    const before = earlier.get(one.id)
    earlier.set(one.id, one)
    return before && random.chance(0.2) ? before : one
  }
  return (page) =>
    page
      .map(delayed)
      .flatMap((one) => (random.chance(0.2) ? [omit(one), omit(one)] : [omit(one)]))
      .map((one) => ({ one, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one)
}
