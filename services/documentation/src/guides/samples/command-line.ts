import { commandOf, kebab } from '@payments/agents'
import type { Condition, Path, Value } from './jq.ts'
import { LINE } from './literals.ts'
import { partsOf, type Text } from './shell.ts'
import { type Request, type Step, variablesOf } from './steps.ts'

/** What the first sample of a page begins with. */
export const prelude = (url: string): string => `export PAYMENTS_URL=${url} PAYMENTS_API_KEY=$API_KEY\n`

/** A step with the merchants' command line. */
export function write({ from, query, use, name }: Step): string {
  const filter = filterOf(query)
  const quoted = /^[\w.]+$/.test(filter) ? filter : `'${filter}'`
  const isText = 'path' in query.result || 'text' in query.result
  const isPlain = 'path' in query.result && query.result.path.length === 0
  const flags = use === 'assign' ? (isPlain ? '-c' : '-re') : use === 'poll' ? '-ec' : isText ? '-r' : '-c'
  if (typeof from === 'string') {
    const read = `jq ${flags} ${quoted} <<< "$${from}"`
    return use === 'assign' ? `${name}=$(${read})` : read
  }
  const command = commandLine(from)
  if (use === 'ignore') return `${command} > /dev/null`
  const isWhole = filter === '.'
  if (use === 'assign') return `${name}=$(${command}${isWhole ? '' : ` | jq ${flags} ${quoted}`})`
  const piped = `${command} |${command.includes('\n') ? ' ' : '\n  '}jq ${flags} ${quoted}`
  const line = `${command} | jq ${flags} ${quoted}`
  const shown = line.length <= LINE || command.includes('\n') ? line : piped
  return use === 'poll' ? `until ${shown}\ndo sleep 1; done` : shown
}

function commandLine({ operation, ids, params, key }: Request): string {
  const options = [
    ...Object.entries(params ?? {}).map(([name, value]) => `--${kebab(name)} ${argumentOf(value)}`),
    ...(key === undefined ? [] : [`--idempotency-key ${word(key)}`]),
    '--json',
  ]
  const command = ['payments', ...commandOf(operation), ...ids.map(word)].join(' ')
  const line = `${command} ${options.join(' ')}`
  return line.length <= LINE ? line : [command, ...options].join(' \\\n  ')
}

const argumentOf = (value: unknown): string => word(typeof value === 'string' ? value : JSON.stringify(value))

/** A word of the shell, in quotes where it needs them. */
function word(text: Text): string {
  if (/^[\w./:@,+-]+$/.test(text)) return text
  if (variablesOf(text).length === 0) return `'${text.replaceAll("'", "'\\''")}'`
  return `"${partsOf(text)
    .map((part, index) => (index % 2 ? `$${part}` : part.replace(/["\\$`]/g, '\\$&')))
    .join('')}"`
}

/** The filter of jq for what the command prints, which is `data` alone. */
function filterOf({ list, conditions, result }: Step['query']): string {
  const shown = textOf(result)
  return [
    ...(list ? [`${pathOf(list)}[]`] : []),
    ...conditions.map(conditionOf),
    ...(shown === '.' && list ? [] : [shown]),
  ].join(' | ')
}

const pathOf = (path: Path): string =>
  path.length === 0 ? '.' : path.map((part) => (typeof part === 'string' ? `.${part}` : `[${part}]`)).join('')

function textOf(value: Value): string {
  if ('text' in value) return JSON.stringify(value.text)
  if ('path' in value) return `${pathOf(value.path)}${value.isLength ? ' | length' : ''}`
  const fields = value.fields.map(([name, each]) => {
    if ('path' in each && !each.isLength && each.path.length === 1 && each.path[0] === name) return name
    return `${name}: ${'path' in each && each.isLength ? `(${textOf(each)})` : textOf(each)}`
  })
  return `{ ${fields.join(', ')} }`
}

function conditionOf({ path, values }: Condition): string {
  if (values.length === 0) return `select(${pathOf(path)} != null)`
  return `select(${values.map((value) => `${pathOf(path)} == ${constant(value)}`).join(' or ')})`
}

/** A variable is written into the filter by the shell: it holds an id. */
const constant = (value: Text): string =>
  partsOf(value).length === 1 ? JSON.stringify(value) : `"'"$${variablesOf(value)[0]}"'"`
