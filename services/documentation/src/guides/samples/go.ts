import { valueTypeOf } from '../../value-types.ts'
import type { Condition, Path, Query, Value } from './jq.ts'
import { columns, group, indented, literal, type Notation } from './literals.ts'
import { mark, partsOf, type Text, Untranslatable } from './shell.ts'
import { camel, foundName, nounOf, type Request, type Step, singular, unused } from './steps.ts'

/** As many characters as a struct on one line has at most. */
const STRUCT = 50
/** And its type: a longer one gofmt puts on a line of its own. */
const TYPE = 29

/** `routeID` of `routeId`, as Go writes abbreviations. */
const abbreviated = (name: string): string => name.replace(/(Id|Url)(?![a-z])/g, (word) => word.toUpperCase())
const exported = (name: string): string => abbreviated(name.replace(/^\w/, (letter) => letter.toUpperCase()))
const variable = (name: string): string => abbreviated(camel(name))

const textOf = (text: Text): string =>
  partsOf(text)
    .map((part, at) => (at % 2 ? variable(part) : part && JSON.stringify(part)))
    .filter(Boolean)
    .join('+') || '""'

const NOTATION: Notation = {
  ...{ brackets: ['map[string]any{', '}'], listBrackets: ['[]any{', '}'], separator: ': ', indentation: '\t' },
  ...{ text: textOf, name: (name) => JSON.stringify(name), padding: '', isAligned: true },
  ...{ none: 'nil', booleans: ['false', 'true'], emptyMap: 'map[string]any{}' },
}

/** What the statements of a page have in common: Go refuses variables that nothing reads, and fields are those that are read. */
export class Page {
  readonly steps: readonly Step[]
  readonly names: Set<string>
  readonly #text: string
  constructor(steps: readonly Step[]) {
    this.steps = steps
    this.names = new Set(['call', ...steps.map(({ name }) => variable(name))])
    this.#text = JSON.stringify(steps)
  }

  isRead(name: string): boolean {
    return this.#text.includes(mark(name)) || this.steps.some(({ from }) => from === name)
  }

  /** The places in a reply that the statements read, which keep it in a variable. */
  placesIn(name: string): Path[] {
    return this.steps.filter(({ from }) => from === name).flatMap(({ query }) => placesOf(query))
  }
}

/** What a program begins with: a function that sends a request, with Go's own library. */
export function prelude(url: string, { steps }: Page): string {
  const packages = [
    ...['bytes', 'encoding/json'],
    ...(steps.some(({ use }) => use === 'print' || use === 'poll') ? ['fmt'] : []),
    ...['log', 'net/http', 'os'],
    ...(steps.some(({ use }) => use === 'poll') ? ['time'] : []),
  ]
  return `package main

import (
${packages.map((each) => `\t"${each}"`).join('\n')}
)

// call sends a request and decodes the data of the reply. The key makes a repeated change take effect once.
func call(method, path string, body any, key string, data any) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			log.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, "${url}/v1"+path, &content)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	reply := struct {
		Status, Message string
		Data            any
	}{Data: data}
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		log.Fatal(err)
	}
	if reply.Status != "success" {
		log.Fatal(reply.Message)
	}
}
`
}

/** The statements of the first sample of a page as its program, to which those of the others belong. */
export const program = (statements: string, isContinued: boolean): string =>
  `func main() {\n${indented(statements, '\t')}\n${isContinued ? '\t// The other samples of this page follow here.\n' : ''}}`

/** A step with the function of the prelude. */
export function write(step: Step, page: Page): string {
  const { from, operation, query, use, name } = step
  const { list, conditions, result } = query
  if (typeof from === 'string') {
    const root = variable(from)
    return use === 'assign' ? assigned(name, result, root, page) : printed(step, root)
  }
  if (use === 'ignore') return callOf(from, 'nil')
  if (use === 'assign') {
    const isWhole = 'path' in result && result.path.length === 0
    const root = isWhole ? variable(name) : unused(nounOf(operation), page.names)
    const type = typeOf(operation, isWhole ? page.placesIn(name) : placesOf(query))
    const request = `var ${root} ${type}\n${callOf(from, `&${root}`)}`
    return isWhole ? request : `${request}\n${assigned(name, result, root, page)}`
  }
  if (use === 'poll' && list) return pollList(step, from, list, page)
  const root = unused(list ? String(list.at(-1)) : nounOf(operation), page.names)
  const declared = `var ${root} ${typeOf(operation, placesOf(query))}`
  const request = callOf(from, `&${root}`)
  if (use === 'poll')
    return `${declared}
for ${negated(step, root)} {
	time.Sleep(time.Second)
${indented(request, '\t')}
}
${printed(step, root)}`
  const item = list ? singular(root) : root
  const print = printed(step, item)
  const guarded = conditions.length > 0 ? `if ${conditionsOf(conditions, item)} {\n${indented(print, '\t')}\n}` : print
  const shown = list ? `for _, ${item} := range ${at(root, list)} {\n${indented(guarded, '\t')}\n}` : guarded
  return `${declared}\n${request}\n${shown}`
}

function pollList(step: Step, from: Request, list: Path, page: Page): string {
  const { operation, query } = step
  const found = unused(foundName(singular(String(list.at(-1))), query.conditions), page.names)
  const type = unused(exported(found), page.names)
  const own = placesOf(query)
  const take = `${found} = &reply${at('', list)}[i]\nbreak`
  const search = conditionsOf(query.conditions, 'each')
  return `type ${type} ${typeOf(operation, own, [...list, 0])}
var ${found} *${type}
for ${found} == nil {
	time.Sleep(time.Second)
	var reply ${indented(nested(list, `[]${type}`), '\t').trimStart()}
${indented(callOf(from, '&reply'), '\t')}
	for i${search ? ', each' : ''} := range reply${at('', list)} {
${indented(search ? `if ${search} {\n${indented(take, '\t')}\n}` : take, '\t\t')}
	}
}
${printed(step, found)}`
}

/** A struct with one field within another. */
const nested = (path: Path, type: string): string =>
  path.reduceRight<string>((inner, part) => `struct{ ${exported(String(part))} ${inner} }`, type)

function assigned(name: string, result: Value, root: string, page: Page): string {
  const own = variable(name)
  return `${own} := ${valueIn(result, root)}${page.isRead(name) ? '' : `\n_ = ${own}`}`
}

function callOf({ operation, path, params, hasBody, key }: Request, data: string): string {
  const start = `call("${operation.method}", ${textOf(path)}, `
  const end = `, ${textOf(key ?? '')}, ${data})`
  return `${start}${hasBody ? literal(params, NOTATION, start.length + end.length) : 'nil'}${end}`
}

/** The places in a reply that a statement reads; of a list, its first item. */
function placesOf({ list, conditions, result }: Query): Path[] {
  const shown = (value: Value): Path[] => {
    if ('text' in value) return []
    if ('fields' in value) return value.fields.flatMap(([, each]) => shown(each))
    return [value.isLength ? [...value.path, 0] : value.path]
  }
  const start = list ? [...list, 0] : []
  return [...conditions.map(({ path }) => path), ...shown(result)].map((path) => [...start, ...path])
}

const TYPES = {
  string: 'string',
  integer: 'int',
  number: 'float64',
  boolean: 'bool',
  json: 'json.RawMessage',
  any: 'any',
}

/** The type of what is at `base` in a reply, with the fields that are read. */
function typeOf(operation: Step['operation'], places: readonly Path[], base: Path = []): string {
  if (places.some((path) => path.length === base.length)) {
    const { type, nullable } = valueTypeOf(operation, base)
    return nullable && type !== 'json' ? 'any' : TYPES[type]
  }
  const parts = new Set(places.map((path) => path[base.length] ?? ''))
  if (typeof places[0]?.[base.length] === 'number') return `[]${typeOf(operation, places, [...base, 0])}`
  const fields = [...parts].map((part) => {
    const own = places.filter((path) => path[base.length] === part)
    return [exported(String(part)), typeOf(operation, own, [...base, part])] as const
  })
  return structOf(fields)
}

/** On one line, where the fields are of one type and there is room for it. */
function structOf(fields: readonly (readonly [name: string, type: string])[]): string {
  const [[, type] = ['', '']] = fields
  const names = fields.map(([name]) => name).join(', ')
  const line = `struct{ ${names} ${type} }`
  if (fields.length === 0) return 'struct{}'
  if (
    line.length <= STRUCT &&
    type.length <= TYPE &&
    !type.includes('\n') &&
    fields.every((field) => field[1] === type)
  )
    return line
  return `struct {\n${indented(columns(fields).join('\n'), '\t')}\n}`
}

const at = (root: string, path: Path): string =>
  path.reduce<string>((before, part) => {
    if (typeof part === 'string') return `${before}.${exported(part)}`
    return part < 0 ? `${before}[len(${before})${part}]` : `${before}[${part}]`
  }, root)

/** Prints a value, or names and values. */
function printed({ operation, query: { list, result } }: Step, root: string): string {
  const shown = (value: Value): string => {
    if (!('path' in value) || value.isLength) return valueIn(value, root)
    const { type } = valueTypeOf(operation, [...(list ? [...list, 0] : []), ...value.path])
    return type === 'json' ? `string(${at(root, value.path)})` : at(root, value.path)
  }
  const named = (value: Value, before = ''): string[] =>
    'fields' in value
      ? value.fields.flatMap(([name, each], index) => named(each, `${index === 0 ? before : ''}${name}: `))
      : [`${before && `${JSON.stringify(before.trim())}, `}${shown(value)}`]
  return `fmt.Println${group(named(result), ['(', ')'], NOTATION, '', 'fmt.Println'.length)}`
}

function valueIn(value: Value, root: string): string {
  if ('text' in value) return textOf(value.text)
  if ('fields' in value) throw new Untranslatable('a variable that holds an object made of others')
  return value.isLength ? `len(${at(root, value.path)})` : at(root, value.path)
}

function conditionOf({ path, values }: Condition, root: string, isNegated: boolean): string {
  const sign = isNegated ? '!=' : '=='
  const place = at(root, path)
  if (values.length === 0) return `${place} ${isNegated ? '==' : '!='} nil`
  const parts = values.map((value) => `${place} ${sign} ${textOf(value)}`)
  return parts.length === 1 || isNegated ? parts.join(' && ') : `(${parts.join(' || ')})`
}

const conditionsOf = (all: readonly Condition[], root: string): string =>
  all.map((each) => conditionOf(each, root, false)).join(' && ')

function negated({ query: { conditions } }: Step, root: string): string {
  const [only = '', ...others] = conditions.map((each) => conditionOf(each, root, true))
  return others.length === 0
    ? only
    : [only, ...others].map((each) => (each.includes('&&') ? `(${each})` : each)).join(' || ')
}
