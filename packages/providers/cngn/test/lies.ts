import type { Random } from '#testing'

type Wire = Record<string, unknown>

// What a transaction may leave out or show as null: `amount`, `createdAt` and `status` are nullable in the API's own types, and the
// rest is described as present "where applicable" (api-reference/get-transactions, guides/webhooks: field presence by event). The id is
// always there; `trx_ref` may be null at first: see `lateReferences`.
const OPTIONAL = [
  ...['from', 'receiver', 'amount', 'description', 'createdAt', 'status', 'network'],
  ...['asset_type', 'asset_symbol', 'base_trx_hash', 'extl_trx_hash', 'explorer_link'],
]
/** How many lists later a movement, or its next status, is shown at the latest. */
const LATEST = 3

/**
 * Changes pages of a list as the documents allow: a field in five is left out or null, elements are repeated and in another order
 * within the page, and a movement or its next status is shown up to three lists late. Nothing is invented, and nothing is withheld
 * for longer.
 */
export function lies(random: Random): (page: Wire[]) => Wire[] {
  const { chance, below, next } = random
  const shown = new Map<string, { wire: Wire; late: number }>()
  const delayed = (wire: Wire): Wire | undefined => {
    const key = String(wire.id)
    const last = shown.get(key)
    if (last?.wire.status === wire.status) return wire
    const late = last?.late ?? below(LATEST + 1)
    if (late > 0) {
      if (last) last.late = late - 1
      else shown.set(key, { wire: { ...wire, status: undefined }, late: late - 1 })
      return last && last.wire.status !== undefined ? last.wire : undefined
    }
    shown.set(key, { wire, late: below(LATEST + 1) })
    return wire
  }
  const without = (wire: Wire): Wire => {
    const kept = { ...wire }
    for (const field of OPTIONAL) {
      if (!chance(0.2)) continue
      if (chance(0.5)) delete kept[field]
      else kept[field] = null
    }
    return kept
  }
  return (page) => {
    const seen = page.map(delayed).filter((wire) => wire !== undefined)
    const more = seen.flatMap((wire) => (chance(0.2) ? [wire, wire] : [wire]))
    return more
      .map((wire) => ({ wire: without(wire), at: next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ wire }) => wire)
  }
}
