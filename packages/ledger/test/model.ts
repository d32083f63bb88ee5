import type { Source } from '../src/journal/entries.ts'
import type { AccountKey } from '../src/model/accounts.ts'

/** The accounts of the model. The first three may not be overdrawn. */
export const places: readonly AccountKey[] = [
  { purpose: 'available', asset: 'USDC' },
  { purpose: 'reserved', asset: 'USDC' },
  { purpose: 'destination', asset: 'USDC' },
  { purpose: 'external', asset: 'USDC' },
  { purpose: 'clearing', asset: 'USDC', party: 'relay' },
  { purpose: 'clearing', asset: 'USDC', party: 'paycrest' },
  { purpose: 'fees', asset: 'USDC' },
  { purpose: 'exchange', asset: 'USDC' },
]
const GUARDED = 3

type Lines = readonly (readonly [place: number, amount: bigint])[]

interface Entry {
  readonly source: Source
  readonly step: string
  readonly lines: [number, bigint][]
}

/** A simple journal in memory, with which the real one is compared. */
export class PlainLedger {
  static readonly destination = 2
  readonly balances = places.map(() => 0n)
  readonly entries: Entry[] = []

  /** The two lines of a transfer. If both accounts are the same, the next account is credited. */
  pair(from: number, to: number, amount: bigint): [number, bigint][] {
    return [
      [from, -amount],
      [to === from ? (to + 1) % places.length : to, amount],
    ]
  }

  /** The entry number `pick`, modulo their number, of those that match. */
  find(pick: number, matches: (entry: Entry) => boolean): Entry | undefined {
    const matching = this.entries.filter(matches)
    return matching[pick % Math.max(matching.length, 1)]
  }

  /** Posts an entry and returns its outcome: `posted`, `repeated`, or the code of the error. */
  post(source: Source, step: string, lines: Lines): string {
    const existing = this.entries.find((entry) => entry.source.id === source.id && entry.step === step)
    const merged = this.merged(lines)
    if (existing) return String(existing.lines) === String(merged) ? 'repeated' : 'entry_differs'
    const after = [...this.balances]
    for (const [place, amount] of merged) after[place] = (after[place] ?? 0n) + amount
    if (after.some((balance, place) => place < GUARDED && balance < 0n)) return 'insufficient_balance'
    this.balances.splice(0, after.length, ...after)
    this.entries.push({ source, step, lines: merged })
    return 'posted'
  }

  reserve(source: Source, amount: bigint): string {
    return this.post(source, 'reserve', [
      [0, -amount],
      [1, amount],
    ])
  }

  /** Ends a hold: `paid` goes to the destination, the remainder back to available. */
  capture(hold: Entry, paid: bigint): string {
    const held = hold.lines.find(([place]) => place === 1)?.[1] ?? 0n
    if (paid > held) return 'insufficient_balance'
    return this.post(hold.source, 'reserve.end', [
      [1, -held],
      [0, held - paid],
      [PlainLedger.destination, paid],
    ])
  }

  reverse(entry: Entry): string {
    if (entry.step.startsWith('reserve') || entry.step.endsWith('.reversal')) return 'entry_irreversible'
    return this.post(
      entry.source,
      `${entry.step}.reversal`,
      entry.lines.map(([place, amount]) => [place, -amount] as const),
    )
  }

  private merged(lines: Lines): [number, bigint][] {
    const sums = new Map<number, bigint>()
    for (const [place, amount] of lines) sums.set(place, (sums.get(place) ?? 0n) + amount)
    return [...sums].filter(([, amount]) => amount !== 0n).sort(([a], [b]) => a - b)
  }
}
