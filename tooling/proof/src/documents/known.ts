import { exampleId } from '@payments/kernel'
import type { Json } from './reference.ts'

/** Ids of examples that the exchange chooses itself, and does not learn. */
export const MEMBER = exampleId(7)
export const OTHER_SESSION = exampleId(3)

export const filledWith = (text: string, values: ReadonlyMap<string, string>): string =>
  [...values].reduce((all, [from, to]) => all.replaceAll(from, to), text)

/** What the values of examples are on this service: learnt from the replies, because an example shows one object everywhere. */
export class Known {
  readonly #values = new Map<string, string>()

  set(example: string, real: string): void {
    this.#values.set(example, real)
  }

  filled(text: string): string {
    return filledWith(text, this.#values)
  }

  learn(example: unknown, real: unknown): void {
    if (typeof example === 'string' && typeof real === 'string') {
      const chosen = [MEMBER, OTHER_SESSION].includes(example)
      if (!chosen && /^01936f2a-|^ofr_|^Zm9y/.test(example)) this.set(example, real)
    } else if (example && real && typeof example === 'object' && typeof real === 'object') {
      // The newest of a list may be of another type than the example: then it is the same only as an item of that list.
      const isReference = Object.keys(example).length === 2
      if (['type', 'kind'].some((name) => (example as Json)[name] !== (real as Json)[name])) {
        if (!isReference) this.learn((example as Json).id, (real as Json).id)
      } else for (const [name, value] of Object.entries(example)) this.learn(value, (real as Json)[name])
    }
  }
}
