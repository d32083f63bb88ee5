/** What waits, by owner: each owner has one at a time, and the owners are in turn however many of each wait. */
export class Turns<T> {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, T[]>()
  readonly #running = new Set<string>()
  #size = 0

  /** How many wait. */
  get size(): number {
    return this.#size
  }

  waitingOf(owner: string): number {
    return this.#waiting.get(owner)?.length ?? 0
  }

  add(owner: string, item: T): void {
    const own = this.#waiting.get(owner)
    if (own) own.push(item)
    else this.#waiting.set(owner, [item])
    this.#size++
  }

  /** The next one of an owner that has none running, who then comes last. It runs until {@link done}. */
  take(): { readonly owner: string; readonly item: T } | undefined {
    for (const [owner, items] of this.#waiting) {
      if (this.#running.has(owner)) continue
      const [item, ...rest] = items as [T, ...T[]]
      this.#waiting.delete(owner)
      if (rest.length > 0) this.#waiting.set(owner, rest)
      this.#running.add(owner)
      this.#size--
      return { owner, item }
    }
    return undefined
  }

  /** What the owner had running has ended. */
  done(owner: string): void {
    this.#running.delete(owner)
  }

  /** Takes out one that waits. @returns false if it does not wait any more */
  remove(owner: string, item: T): boolean {
    const items = this.#waiting.get(owner) ?? []
    const rest = items.filter((each) => each !== item)
    if (rest.length === items.length) return false
    if (rest.length > 0) this.#waiting.set(owner, rest)
    else this.#waiting.delete(owner)
    this.#size--
    return true
  }
}
