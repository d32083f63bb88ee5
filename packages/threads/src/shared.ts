interface Kept<T> {
  readonly value: T
  readonly until: number
}

interface Making<T> {
  readonly value: Promise<T>
  readonly wanted: AbortController
  waiting: number
}

/** Values that take long to make: each is made once while it is asked for, and kept for a time. */
export class Shared<T> {
  readonly #bounds: { readonly bytes: number; readonly ms: number; sizeOf(value: T): number }
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept<T>>()
  readonly #making = new Map<string, Making<T>>()
  #bytes = 0

  /** @param bounds the size of all that are kept, and how long each is */
  constructor(bounds: { readonly bytes: number; readonly ms: number; sizeOf(value: T): number }) {
    this.#bounds = bounds
  }

  /**
   * The value of a key, which is made where there is none. `make` gets a signal that is aborted when all who asked for it have left.
   * @throws what `make` throws, which is not kept, and the reason of `signal`
   */
  async get(key: string, make: (wanted: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const kept = this.#kept.get(key)
    if (kept) {
      this.#drop(key)
      if (kept.until > performance.now()) return this.#keep(key, kept)
    }
    const making = this.#making.get(key) ?? this.#begin(key, make)
    making.waiting++
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([making.value, left.promise])
    } finally {
      signal?.removeEventListener('abort', leave)
      making.waiting--
      if (making.waiting === 0) {
        // Who asks from now on has it made anew: this one may be ended.
        if (this.#making.get(key) === making) this.#making.delete(key)
        making.wanted.abort(signal?.reason)
      }
    }
  }

  #begin(key: string, make: (wanted: AbortSignal) => Promise<T>): Making<T> {
    const wanted = new AbortController()
    const value = make(wanted.signal)
    const making = { value, wanted, waiting: 0 }
    this.#making.set(key, making)
    value.then(
      (made) => {
        this.#drop(key)
        this.#keep(key, { value: made, until: performance.now() + this.#bounds.ms })
      },
      // Those who wait get it.
      () => undefined,
    )
    return making
  }

  #keep(key: string, kept: Kept<T>): T {
    const { bytes, sizeOf } = this.#bounds
    this.#kept.set(key, kept)
    this.#bytes += sizeOf(kept.value)
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= bytes) break
      this.#drop(oldest)
    }
    return kept.value
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key)
    if (!kept) return
    this.#kept.delete(key)
    this.#bytes -= this.#bounds.sizeOf(kept.value)
  }
}
