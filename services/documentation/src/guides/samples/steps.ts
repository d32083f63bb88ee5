import { type Operation, operations } from '@payments/agents'
import { type Condition, type Path, type Query, readFilter, type Value } from './jq.ts'
import {
  type Command,
  mark,
  partsOf,
  readShell,
  type Statement,
  type Text,
  Untranslatable,
  variableOf,
} from './shell.ts'

/** A request, with the operation that it is. */
export interface Request {
  readonly operation: Operation
  /** Below `/v1`, with its query. */
  readonly path: Text
  readonly ids: readonly Text[]
  /** The body, or the parameters of the query. */
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly hasBody: boolean
  readonly key: Text | undefined
}

/** One step of a sample in no particular language: where values come from, and what is done with what `query` finds in them. */
export interface Step {
  /** A request, or the name of a variable that holds the `data` of a reply. */
  readonly from: Request | string
  /** The operation whose reply it is. */
  readonly operation: Operation
  /** Without it, all `data`. Paths begin there. */
  readonly query: Query
  readonly isApart: boolean
  readonly use: 'print' | 'assign' | 'poll' | 'ignore'
  /** The variable that is assigned. */
  readonly name: string
}

const ALL: Query = { list: undefined, conditions: [], result: { path: [] } }

/** Reads the shell samples of a page one after another, which are one session. */
export class StepReader {
  /** Variables that hold a reply: does one hold the whole envelope? Else it holds `data`. */
  readonly #replies = new Map<string, { readonly isWhole: boolean; readonly operation: Operation }>()

  /** @throws Untranslatable for what is not a series of requests to the API with a key */
  read(code: string): Step[] {
    return readShell(code).map((statement) => this.#step(statement))
  }

  #step({ kind, name, isApart, pipeline }: Statement): Step {
    const [first, second, ...rest] = pipeline
    if (!first || rest.length > 0) throw new Untranslatable('a pipeline of more than two commands')
    if (first.words[0] === 'jq') return { ...this.#fromVariable(first, kind, name, second), isApart }
    const { request, isIgnored } = readCurl(first)
    const { operation } = request
    if (!second) {
      if (kind === 'assign') this.#replies.set(name, { isWhole: true, operation })
      if (kind === 'poll' || (kind === 'print' && !isIgnored)) throw new Untranslatable('a reply that is printed whole')
      return { from: request, operation, query: ALL, use: isIgnored ? 'ignore' : kind, name, isApart }
    }
    const query = readJq(second)
    if (kind === 'assign') this.#assign(name, operation, query, ['data'])
    return { from: request, operation, query: withinData(query), use: kind, name, isApart }
  }

  #fromVariable(jq: Command, kind: Statement['kind'], name: string, next: Command | undefined): Omit<Step, 'isApart'> {
    const from = variableOf(jq.input ?? '')
    const reply = this.#replies.get(from ?? '')
    if (from === undefined || reply === undefined || next || kind === 'poll')
      throw new Untranslatable('jq without a reply')
    const { isWhole, operation } = reply
    const query = readJq(jq)
    if (kind === 'assign') this.#assign(name, operation, query, isWhole ? ['data'] : [])
    return { from, operation, query: isWhole ? withinData(query) : query, use: kind, name }
  }

  #assign(name: string, operation: Operation, { list, conditions, result }: Query, data: Path): void {
    if (list || conditions.length > 0 || !('path' in result) || result.isLength)
      throw new Untranslatable('a variable that is more than a part of a reply')
    if (result.path.join('.') === data.join('.')) this.#replies.set(name, { isWhole: false, operation })
  }
}

function readJq({ words: [tool, ...words], input }: Command): Query {
  if (tool !== 'jq') throw new Untranslatable(`the command ${tool}`)
  const args: Record<string, Text> = {}
  let filter: string | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--arg') args[words[++at] ?? ''] = words[++at] ?? ''
    else if (filter === undefined && !/^-[rce]+$/.test(word)) filter = word
    else if (filter !== undefined) throw new Untranslatable(`jq ${word}`)
  }
  if (filter === undefined || (input !== undefined && variableOf(input) === undefined)) throw new Untranslatable('jq')
  return readFilter(filter, args)
}

/** A query of an envelope as one of its `data`. */
function withinData({ list, conditions, result }: Query): Query {
  const cut = (path: Path): Path => {
    if (path[0] !== 'data') throw new Untranslatable(`${path.join('.')}, which is not in data`)
    return path.slice(1)
  }
  const cutValue = (value: Value): Value => {
    if ('text' in value) return value
    if ('fields' in value) return { fields: value.fields.map(([name, each]) => [name, cutValue(each)]) }
    return { ...value, path: cut(value.path) }
  }
  if (list) return { list: cut(list), conditions, result }
  return {
    list,
    conditions: conditions.map((condition) => ({ ...condition, path: cut(condition.path) })),
    result: cutValue(result),
  }
}

const API = mark('API')
const KEY = `Authorization: Bearer ${mark('API_KEY')}`

function readCurl({ words: [tool, ...words], input }: Command): { request: Request; isIgnored: boolean } {
  if (tool !== 'curl' || input !== undefined) throw new Untranslatable(`the command ${tool}`)
  let [method, url, body, key] = [undefined, undefined, undefined, undefined] as (Text | undefined)[]
  let isIgnored = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '-X') method = words[++at]
    else if (word === '-d') body = words[++at]
    else if (word === '-o' && words[at + 1] === '/dev/null') [isIgnored, at] = [true, at + 1]
    else if (word === '-H') {
      const header = words[++at] ?? ''
      if (header.startsWith('Idempotency-Key: ')) key = header.slice('Idempotency-Key: '.length)
      else if (header !== KEY && header !== 'Content-Type: application/json') throw new Untranslatable(header)
    } else if (word.startsWith(`${API}/`) && url === undefined) url = word.slice(API.length)
    else if (word !== '-sS') throw new Untranslatable(`curl ${word}`)
  }
  if (url === undefined) throw new Untranslatable('a request without an address')
  return { request: requestOf(method ?? (body === undefined ? 'GET' : 'POST'), url, body, key), isIgnored }
}

function requestOf(method: string, url: Text, body: Text | undefined, key: Text | undefined): Request {
  const [path = '', search = ''] = url.split('?')
  const parts = path.split('/')
  const matches = (template: string) => {
    const wanted = template.split('/')
    return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at])
  }
  const [operation] = operations
    .filter((each) => each.method === method && matches(each.path))
    .toSorted((a, b) => a.ids.length - b.ids.length)
  if (!operation) throw new Untranslatable(`${method} ${path}, which no key can call`)
  if (operation.reply === 'file') throw new Untranslatable('a file')
  const query = [...new URLSearchParams(search)].map(([name, text]) => [name, typed(operation, name, text)] as const)
  return {
    operation,
    path: url,
    ids: operation.path.split('/').flatMap((part, at) => (part.startsWith('{') ? [parts[at] ?? ''] : [])),
    params: body === undefined ? (query.length > 0 ? Object.fromEntries(query) : undefined) : JSON.parse(body),
    hasBody: body !== undefined,
    key,
  }
}

const typed = ({ fields }: Operation, name: string, text: string): unknown =>
  fields.find((field) => field.name === name)?.type === 'string' ? text : JSON.parse(text)

/** The names of a text's variables. */
export const variablesOf = (text: Text): string[] => partsOf(text).filter((_part, at) => at % 2 === 1)

/** What an operation returns, in one word: `deposit` of `sandbox.paymentRoutes.deposit`, `customer` of `customers.create`. */
export function nounOf({ resource, name, method }: Operation): string {
  const [, noun] = name.match(/^(?:change|sell|verify)([A-Z]\w*)$/) ?? []
  if (noun) return noun.replace(/^\w/, (letter) => letter.toLowerCase())
  const isNoun = resource.startsWith('sandbox.') || (method === 'GET' && !['get', 'list', 'lookup'].includes(name))
  if (isNoun) return singular(name)
  const last = resource.split('.').at(-1) ?? ''
  return last === 'pay' ? 'session' : singular(last)
}

/** `routeId` of `ROUTE_ID`. */
export const camel = (name: string): string =>
  name.toLowerCase().replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())

/** The name, or with a number behind it where `names` has it. It is added to them. */
export function unused(name: string, names: Set<string>): string {
  let own = name
  for (let count = 2; names.has(own); count++) own = `${name}${count}`
  names.add(own)
  return own
}

/** `completedSwap` of a swap whose status is completed. */
export function foundName(noun: string, conditions: readonly Condition[]): string {
  const status = conditions.find(({ path }) => path.at(-1) === 'status')?.values[0]
  return status ? `${camel(status)}${noun.replace(/^\w/, (letter) => letter.toUpperCase())}` : noun
}

/** `deposit` of `deposits`. */
export const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '')
