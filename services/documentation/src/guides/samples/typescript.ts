import type { Condition, Path, Value } from './jq.ts'
import { group, indented, literal, type Notation } from './literals.ts'
import { partsOf, type Text, variableOf } from './shell.ts'
import { camel, foundName, nounOf, type Request, type Step, singular, unused } from './steps.ts'

function textOf(text: Text): string {
  const variable = variableOf(text)
  if (variable) return camel(variable)
  const parts = partsOf(text)
  if (parts.length === 1) return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  return `\`${parts.map((part, at) => (at % 2 ? `\${${camel(part)}}` : part.replace(/[\\`$]/g, '\\$&'))).join('')}\``
}

const NOTATION: Notation = {
  ...{ brackets: ['{', '}'], separator: ': ', indentation: '  ', padding: ' ' },
  ...{ text: textOf, name: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`) },
  ...{ none: 'null', booleans: ['false', 'true'], hasShorthand: true },
}

/** The room that `const deposit = await` takes. */
const ASSIGNED = 22

/** What the first sample of a page begins with. */
export const prelude = (url: string): string => `import { Payments } from '@payments/sdk'

const payments = new Payments({ url: '${url}', apiKey: process.env.API_KEY })
`

/** A step with the SDK. `names` has the names of all variables of the page so far. */
export function write({ from, query, use, name }: Step, names: Set<string>): string {
  const { list, conditions, result } = query
  if (typeof from === 'string') {
    const value = shown(result, camel(from))
    return use === 'assign' ? `const ${declared(name, names)} = ${value}` : `console.log(${value})`
  }
  const promise = callOf(from)
  const call = `await ${promise}`
  if (use === 'ignore') return call
  if (use === 'assign') return assigned(declared(name, names), result, call)
  const item = list && singular(String(list.at(-1)))
  if (use === 'poll') {
    const found = unused(foundName(item ?? nounOf(from.operation), conditions), names)
    return item ? pollList(found, call, list, conditions, result) : poll(found, call, conditions, result)
  }
  if (item) {
    const lines = `console.log(${shown(result, item)})`
    const given = guarded(conditions, item, lines)
    const isWholeList = list.length === 1 && from.operation.reply === list[0]
    return isWholeList
      ? `for await (const ${item} of ${promise})\n${indented(given, '  ')}`
      : `for (const ${item} of ${at(`(${call})`, list)})\n${indented(given, '  ')}`
  }
  const variable = unused(nounOf(from.operation), names)
  const print = `console.log(${shown(result, variable)})`
  const given = guarded(conditions, variable, print)
  return `const ${variable} = ${call}\n${given}`
}

function guarded(conditions: readonly Condition[], root: string, print: string): string {
  if (conditions.length === 0) return print
  const guard = `if (${conditionsOf(conditions, root)})`
  return print.includes('\n') ? `${guard} {\n${indented(print, '  ')}\n}` : `${guard} ${print}`
}

function poll(variable: string, call: string, conditions: readonly Condition[], result: Value): string {
  return `let ${variable}
do {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  ${variable} = ${indented(call, '  ').trimStart()}
} while (${negated(conditions, variable)})
console.log(${shown(result, variable)})`
}

function pollList(variable: string, call: string, list: Path, conditions: readonly Condition[], result: Value): string {
  const all = String(list.at(-1))
  const found = conditions.length > 0 ? `.find((each) => ${conditionsOf(conditions, 'each')})` : '[0]'
  return `let ${variable}
while (!${variable}) {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const { ${all} } = ${indented(call, '  ').trimStart()}
  ${variable} = ${all}${found}
}
console.log(${shown(result, variable)})`
}

function assigned(variable: string, result: Value, call: string): string {
  const path = 'path' in result ? result.path : []
  const [field] = path
  if (path.length === 0) return `const ${variable} = ${call}`
  if (path.length > 1) return `const ${variable} = ${at(`(${call})`, path)}`
  return `const { ${field === variable ? field : `${field}: ${variable}`} } = ${call}`
}

function callOf({ operation, ids, params, key }: Request): string {
  const hasParams = params !== undefined || (key !== undefined && operation.fields.length > 0)
  const args = [
    ...ids.map(textOf),
    ...(hasParams ? [literal(params ?? {}, NOTATION)] : []),
    ...(key === undefined ? [] : [literal({ idempotencyKey: key }, NOTATION)]),
  ]
  const method = `payments.${operation.resource}.${operation.name}`
  // As with any object that is the only argument, its brackets share the lines of the call's.
  return args.length === 1 && params
    ? `${method}(${args[0]})`
    : `${method}${group(args, ['(', ')'], NOTATION, '', method.length + ASSIGNED)}`
}

const at = (root: string, path: Path): string =>
  path.reduce<string>(
    (before, part) =>
      typeof part === 'string' ? `${before}.${part}` : part < 0 ? `${before}.at(${part})?` : `${before}[${part}]`,
    root,
  )

function shown(value: Value, root: string): string {
  if ('text' in value) return textOf(value.text)
  if ('path' in value) return `${at(root, value.path)}${value.isLength ? '.length' : ''}`
  const parts = value.fields.map(([name, each]) => `${name}: ${shown(each, root)}`)
  return group(parts, ['{', '}'], NOTATION, ' ', 'console.log()'.length)
}

function conditionOf({ path, values }: Condition, root: string, isNegated = false): string {
  const place = at(root, path)
  const [only, ...others] = values
  if (only === undefined) return `${place} ${isNegated ? '===' : '!=='} null`
  if (others.length === 0) return `${place} ${isNegated ? '!==' : '==='} ${textOf(only)}`
  return `${isNegated ? '!' : ''}[${values.map(textOf).join(', ')}].includes(${place})`
}

const conditionsOf = (all: readonly Condition[], root: string): string =>
  all.map((each) => conditionOf(each, root)).join(' && ')

const negated = (all: readonly Condition[], root: string): string =>
  all.map((each) => conditionOf(each, root, true)).join(' || ')

function declared(name: string, names: Set<string>): string {
  names.add(camel(name))
  return camel(name)
}
