import type { Random } from '@payments/stand'
import { uuid } from './values.ts'

/** Of one kind of object, as many ids are known as this. */
const KEPT = 30
const ID = /^(ofr_)?[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** `paymentRouteId`, `payment-routes` and `paymentRoute` are one kind of object. */
const kindOf = (name: string): string =>
  name
    .replace(/Id$/, '')
    .replace(/[^a-z]/gi, '')
    .toLowerCase()
    .replace(/s$/, '')

/** Ids of objects that replies have shown, by kind: later requests use them. */
export class Ids {
  readonly #known = new Map<string, string[]>()

  add(name: string, id: string): void {
    const kind = kindOf(name)
    const ids = this.#known.get(kind) ?? []
    this.#known.set(kind, ids)
    if (ids.includes(id)) return
    ids.push(id)
    if (ids.length > KEPT) ids.shift()
  }

  /** Every id of a reply to an operation with this path. The kind of an object is a word at the end of the path, or the name of its list. */
  learn(path: string, reply: unknown): void {
    const [, placeholder, words = path] = path.match(/^.*\{(\w+)\}(.*)$/) ?? []
    const kinds = words.split('/').filter(Boolean)
    const own = reply && typeof reply === 'object' && 'id' in reply ? reply.id : undefined
    if (typeof own === 'string' && ID.test(own))
      for (const kind of kinds.length > 0 ? kinds : [placeholder ?? '']) this.add(kind, own)
    this.#walk('', reply)
  }

  #walk(name: string, value: unknown): void {
    if (Array.isArray(value)) for (const item of value.slice(0, KEPT)) this.#walk(name, item)
    else if (value && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner !== 'string') this.#walk(key, inner)
        else if (ID.test(inner) && (key !== 'id' || name !== '')) this.add(key === 'id' ? name : key, inner)
      }
    }
  }

  knows(...names: readonly string[]): boolean {
    return names.some((name) => this.#known.has(kindOf(name)))
  }

  /** An id of one of these kinds; of any kind, or of none at all, where there is none and also sometimes where there is. */
  pick(random: Random, ...names: readonly string[]): string {
    const fitting = names.flatMap((name) => this.#known.get(kindOf(name)) ?? [])
    if (fitting.length > 0 && random.chance(0.9)) return random.pick(fitting)
    const any = [...this.#known.values()].flat()
    return any.length > 0 && random.chance(0.7) ? random.pick(any) : uuid(random)
  }
}
