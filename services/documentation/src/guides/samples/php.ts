import { valueTypeOf } from '../../value-types.ts'
import type { Condition, Path, Value } from './jq.ts'
import { group, indented, literal, type Notation } from './literals.ts'
import { partsOf, type Text, variableOf } from './shell.ts'
import { camel, nounOf, type Request, type Step, singular } from './steps.ts'

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function textOf(text: Text): string {
  const variable = variableOf(text)
  if (variable) return `$${camel(variable)}`
  const parts = partsOf(text)
  if (parts.length === 1) return quoted(text)
  return `"${parts.map((part, at) => (at % 2 ? `{$${camel(part)}}` : part.replace(/["\\$]/g, '\\$&'))).join('')}"`
}

/** How PHP writes values. */
export const NOTATION: Notation = {
  ...{ brackets: ['[', ']'], separator: ' => ', indentation: '    ', padding: '' },
  ...{ text: textOf, name: quoted },
  ...{ none: 'null', booleans: ['false', 'true'], emptyMap: 'new stdClass()' },
}

/** What the first sample of a page begins with: a function that sends a request, without an extension of PHP. */
export const prelude = (url: string): string => `<?php
/** Sends a request and returns the data of the reply. The key makes a repeated change take effect once. */
function call(string $method, string $path, ?array $body = null, ?string $key = null): mixed
{
    $headers = ['Authorization: Bearer ' . getenv('API_KEY'), 'Content-Type: application/json'];
    if ($key !== null) {
        $headers[] = "Idempotency-Key: $key";
    }
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
        'ignore_errors' => true,
    ]]);
    $content = file_get_contents("${url}/v1$path", false, $context);
    if ($content === false) {
        throw new RuntimeException('The service did not answer');
    }
    $reply = json_decode($content, true, flags: JSON_THROW_ON_ERROR);
    if ($reply['status'] !== 'success') {
        throw new RuntimeException($reply['message']);
    }
    return $reply['data'];
}
`

/** A step with the function of the prelude. */
export function write(step: Step): string {
  const { from, query, use, name } = step
  const { list, conditions, result } = query
  if (typeof from === 'string') {
    const root = `$${camel(from)}`
    return use === 'assign' ? `$${camel(name)} = ${valueIn(result, root)};` : printed(step, root)
  }
  const call = callOf(from)
  if (use === 'ignore') return `${call};`
  if (use === 'assign') return `$${camel(name)} = ${valueIn(result, call)};`
  const item = `$${(list && singular(String(list.at(-1)))) ?? nounOf(from.operation)}`
  const print = printed(step, item)
  if (use === 'poll')
    return `do {
    sleep(1);
${indented(list ? found(item, call, list, conditions) : `${item} = ${call};`, '    ')}
} while (${list ? `!${item}` : negated(conditions, item)});
${print}`
  const guarded =
    conditions.length > 0 ? `if (${conditionsOf(conditions, item)}) {\n${indented(print, '    ')}\n}` : print
  return list
    ? `foreach (${at(call, list)} as ${item}) {\n${indented(guarded, '    ')}\n}`
    : `${item} = ${call};\n${guarded}`
}

function found(item: string, call: string, list: Path, conditions: readonly Condition[]): string {
  const all = `$${String(list.at(-1))}`
  const given = conditionsOf(conditions, '$each')
  const first = given ? `current(array_filter(${all}, fn ($each) => ${given}))` : `${all}[0] ?? null`
  return `${all} = ${at(call, list)};\n${item} = ${first};`
}

/** A text and a number as they are, other values as JSON. */
function printed({ operation, query: { list, result } }: Step, root: string): string {
  const isPlain =
    !('fields' in result) &&
    ('text' in result ||
      result.isLength ||
      ['string', 'integer'].includes(valueTypeOf(operation, [...(list ? [...list, 0] : []), ...result.path]).type))
  const value = valueIn(result, root)
  return isPlain ? `echo ${value}, "\\n";` : `echo json_encode(${value}, JSON_UNESCAPED_SLASHES), "\\n";`
}

function callOf({ operation, path, params, hasBody, key }: Request): string {
  const args = [
    quoted(operation.method),
    textOf(path),
    ...(hasBody ? [literal(params, NOTATION)] : []),
    ...(key === undefined ? [] : [hasBody ? textOf(key) : `key: ${textOf(key)}`]),
  ]
  return `call${group(args, ['(', ')'], NOTATION, '', '$deposit = call;'.length)}`
}

const at = (root: string, path: Path): string =>
  path.reduce<string>((before, part) => `${before}[${typeof part === 'string' ? quoted(part) : part}]`, root)

function valueIn(value: Value, root: string): string {
  if ('text' in value) return textOf(value.text)
  if ('path' in value) return value.isLength ? `count(${at(root, value.path)})` : at(root, value.path)
  const parts = value.fields.map(([name, each]) => `${quoted(name)} => ${valueIn(each, root)}`)
  return group(parts, ['[', ']'], NOTATION, '', 'echo json_encode(, JSON_UNESCAPED_SLASHES), "\\n";'.length)
}

function conditionOf({ path, values }: Condition, root: string, isNegated = false): string {
  const place = at(root, path)
  const [only, ...others] = values
  if (only === undefined) return `${place} ${isNegated ? '===' : '!=='} null`
  if (others.length === 0) return `${place} ${isNegated ? '!==' : '==='} ${textOf(only)}`
  return `${isNegated ? '!' : ''}in_array(${place}, [${values.map(textOf).join(', ')}], true)`
}

const conditionsOf = (all: readonly Condition[], root: string): string =>
  all.map((each) => conditionOf(each, root)).join(' && ')

const negated = (all: readonly Condition[], root: string): string =>
  all.map((each) => conditionOf(each, root, true)).join(' || ')
