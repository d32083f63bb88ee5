import { random as generator } from '#testing'

/** A seeded generator of random numbers of amounts and choices, so that a run can be repeated with the seed that it printed. */
export function random(seed: number) {
  const { next, chance, pick } = generator(seed)
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    whole,
    chance,
    pick,
    /** Decimal text with two decimals; some end in `.13`, which times out. */
    amount: (least: number, most: number): string =>
      `${whole(least, most)}.${whole(0, 9) === 0 ? '13' : whole(20, 99)}`,
  }
}
