import type { Condition, Path, Value } from './jq.ts'
import { group, indented, literal, type Notation } from './literals.ts'
import { partsOf, type Text, variableOf } from './shell.ts'
import { nounOf, type Request, type Step, singular } from './steps.ts'

const snake = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()

function textOf(text: Text): string {
  const variable = variableOf(text)
  if (variable) return snake(variable)
  const parts = partsOf(text)
  if (parts.length === 1) return JSON.stringify(text)
  return `f"${parts.map((part, at) => (at % 2 ? `{${snake(part)}}` : part.replace(/["\\]/g, '\\$&').replace(/[{}]/g, '$&$&'))).join('')}"`
}

/** How Python writes values. */
export const NOTATION: Notation = {
  ...{ brackets: ['{', '}'], separator: ': ', indentation: '    ', padding: '' },
  ...{ text: textOf, name: (name) => JSON.stringify(name) },
  ...{ none: 'None', booleans: ['False', 'True'] },
}

/** What the first sample of a page begins with: a function that sends a request, with Python's own library. */
export const prelude = (url: string): string => `import json, os, time, urllib.request

def call(method, path, body=None, key=None):
    """Sends a request and returns the data of the reply. The key makes a repeated change take effect once."""
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request("${url}/v1" + path, content, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]

`

/** A step with the function of the prelude. */
export function write({ from, query, use, name }: Step): string {
  const { list, conditions, result } = query
  if (typeof from === 'string') {
    const value = shown(result, snake(from))
    return use === 'assign' ? `${snake(name)} = ${value}` : `print(${value})`
  }
  const call = callOf(from)
  if (use === 'ignore') return call
  if (use === 'assign') return `${snake(name)} = ${shown(result, call)}`
  const item = snake((list && singular(String(list.at(-1)))) ?? nounOf(from.operation))
  if (use === 'poll') return list ? pollList(item, call, list, query) : poll(item, call, query)
  const print = guarded(conditions, item, `print(${shown(result, item)})`)
  return list ? `for ${item} in ${at(call, list)}:\n${indented(print, '    ')}` : `${item} = ${call}\n${print}`
}

const guarded = (conditions: readonly Condition[], root: string, print: string): string =>
  conditions.length > 0 ? `if ${conditionsOf(conditions, root)}:\n${indented(print, '    ')}` : print

const poll = (variable: string, call: string, { conditions, result }: Step['query']): string =>
  `${variable} = ${call}
while ${negated(conditions, variable)}:
    time.sleep(1)
    ${variable} = ${call}
print(${shown(result, variable)})`

function pollList(variable: string, call: string, list: Path, { conditions, result }: Step['query']): string {
  const given = conditions.length > 0 ? ` if ${conditionsOf(conditions, 'each')}` : ''
  return `${variable} = None
while not ${variable}:
    time.sleep(1)
    ${variable} = next((each for each in ${at(call, list)}${given}), None)
print(${shown(result, variable)})`
}

function callOf({ operation, path, params, hasBody, key }: Request): string {
  const args = [
    JSON.stringify(operation.method),
    textOf(path),
    ...(hasBody ? [literal(params, NOTATION)] : []),
    ...(key === undefined ? [] : [hasBody ? textOf(key) : `key=${textOf(key)}`]),
  ]
  return `call${group(args, ['(', ')'], NOTATION, '', 'deposit = call'.length)}`
}

const at = (root: string, path: Path): string =>
  path.reduce<string>((before, part) => `${before}[${JSON.stringify(part)}]`, root)

function shown(value: Value, root: string): string {
  if ('text' in value) return textOf(value.text)
  if ('path' in value) return value.isLength ? `len(${at(root, value.path)})` : at(root, value.path)
  const parts = value.fields.map(([name, each]) => `${JSON.stringify(name)}: ${shown(each, root)}`)
  return group(parts, ['{', '}'], NOTATION)
}

function conditionOf({ path, values }: Condition, root: string, isNegated = false): string {
  const place = at(root, path)
  const [only, ...others] = values
  if (only === undefined) return `${place} is ${isNegated ? '' : 'not '}None`
  if (others.length === 0) return `${place} ${isNegated ? '!=' : '=='} ${textOf(only)}`
  return `${place} ${isNegated ? 'not ' : ''}in (${values.map(textOf).join(', ')})`
}

const conditionsOf = (all: readonly Condition[], root: string): string =>
  all.map((each) => conditionOf(each, root)).join(' and ')

const negated = (all: readonly Condition[], root: string): string =>
  all.map((each) => conditionOf(each, root, true)).join(' or ')
