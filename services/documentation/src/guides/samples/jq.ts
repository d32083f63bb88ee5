import { type Text, Untranslatable } from './shell.ts'

/** Names and positions that lead to a value. */
export type Path = readonly (string | number)[]

/** What a filter results in. */
export type Value =
  | { readonly path: Path; readonly isLength?: boolean }
  | { readonly text: string }
  | { readonly fields: readonly (readonly [name: string, value: Value])[] }

/** A condition of `select`: one of these values, or, without any, not null. */
export interface Condition {
  readonly path: Path
  readonly values: readonly Text[]
}

/** A filter of jq in its normal form. */
export interface Query {
  /** Leads to a list, of whose items the rest speaks; without it, of the reply. */
  readonly list: Path | undefined
  readonly conditions: readonly Condition[]
  readonly result: Value
}

const TOKEN = /\s*(\.(?:\w+(?:\.\w+)*)?(?:\[-?\d+\](?:\.\w+)*)*(?:\[\])?|"(?:[^"\\]|\\.)*"|\$\w+|[=!]=|\w+|[|(){},:])/y

/**
 * Reads the part of jq that the guides use: paths, one `[]`, `select` with `==` and `!= null`, objects, `length` and texts.
 * @throws Untranslatable for anything else
 */
export function readFilter(filter: string, args: Readonly<Record<string, Text>>): Query {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < filter.trimEnd().length) {
    const [, token] = TOKEN.exec(filter) ?? []
    if (token === undefined) throw new Untranslatable(`the filter ${filter}`)
    tokens.push(token)
  }
  return new Filter(tokens, args).query()
}

class Filter {
  readonly #tokens: string[]
  readonly #args: Readonly<Record<string, Text>>
  constructor(tokens: string[], args: Readonly<Record<string, Text>>) {
    this.#tokens = tokens
    this.#args = args
  }

  query(): Query {
    let list: Path | undefined
    let base: Path = []
    let result: Value | undefined
    const conditions: Condition[] = []
    do {
      if (this.#takes('select')) conditions.push(...this.#conditions(base))
      else if (this.#isPath()) {
        const { path, isList } = this.#path(base)
        if (isList && list) throw new Untranslatable('a list of lists')
        if (isList) list = path
        base = isList ? [] : path
      } else result = this.#value(base)
    } while (this.#takes('|'))
    if (this.#tokens.length > 0) throw new Untranslatable(`the filter at ${this.#tokens.join(' ')}`)
    return { list, conditions, result: result ?? { path: base } }
  }

  #conditions(base: Path): Condition[] {
    const all: Condition[] = []
    this.#expect('(')
    do {
      let alternatives = this.#condition(base)
      while (this.#takes('or')) {
        const { path, values } = this.#condition(base)
        if (values.length === 0 || path.join('.') !== alternatives.path.join('.'))
          throw new Untranslatable('alternatives of different fields')
        alternatives = { path, values: [...alternatives.values, ...values] }
      }
      all.push(alternatives)
    } while (this.#takes('and'))
    this.#expect(')')
    return all
  }

  #condition(base: Path): Condition {
    const { path } = this.#path(base)
    if (this.#takes('==')) return { path, values: [this.#constant()] }
    this.#expect('!=')
    this.#expect('null')
    return { path, values: [] }
  }

  #constant(): Text {
    const token = this.#tokens.shift() ?? ''
    if (token.startsWith('"')) return JSON.parse(token) as string
    const given = this.#args[token.slice(1)]
    if (!token.startsWith('$') || given === undefined) throw new Untranslatable(`the constant ${token}`)
    return given
  }

  #value(base: Path): Value {
    if (this.#takes('(')) {
      const value = this.#value(base)
      this.#expect(')')
      return value
    }
    if (this.#tokens[0]?.startsWith('"')) return { text: JSON.parse(this.#tokens.shift() ?? '') as string }
    if (this.#takes('{')) return { fields: this.#fields(base) }
    const { path, isList } = this.#path(base)
    if (isList) throw new Untranslatable('a list in a value')
    if (!this.#takes('|')) return { path }
    if (this.#takes('length')) return { path, isLength: true }
    return this.#value(path)
  }

  #fields(base: Path): [string, Value][] {
    const fields: [string, Value][] = []
    do {
      const name = this.#tokens.shift() ?? ''
      if (!/^\w+$/.test(name)) throw new Untranslatable(`the field ${name}`)
      fields.push([name, this.#takes(':') ? this.#value(base) : { path: [...base, name] }])
    } while (this.#takes(','))
    this.#expect('}')
    return fields
  }

  #isPath = () => this.#tokens[0]?.startsWith('.') ?? false

  #path(base: Path): { path: Path; isList: boolean } {
    const token = this.#isPath() ? (this.#tokens.shift() ?? '') : ''
    if (!token) throw new Untranslatable(`the filter at ${this.#tokens.join(' ')}`)
    const parts = token.match(/\w+|\[-?\d+\]/g) ?? []
    const own = parts.map((part) => (part.startsWith('[') ? Number(part.slice(1, -1)) : part))
    return { path: [...base, ...own], isList: token.endsWith('[]') }
  }

  #takes(token: string): boolean {
    if (this.#tokens[0] !== token) return false
    this.#tokens.shift()
    return true
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new Untranslatable(`the filter: ${token} is missing`)
  }
}
