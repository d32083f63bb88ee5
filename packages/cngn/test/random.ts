/** A seeded generator of random numbers (mulberry32), so that a run can be repeated with the seed that it printed. */
export function random(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    whole,
    chance: (share: number): boolean => next() < share,
    pick: <T>(values: readonly T[]): T => values[whole(0, values.length - 1)] as T,
    /** Decimal text with two decimals; some end in `.13`, which times out. */
    amount: (least: number, most: number): string =>
      `${whole(least, most)}.${whole(0, 9) === 0 ? '13' : whole(20, 99)}`,
  }
}
