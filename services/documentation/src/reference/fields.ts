import type { Json } from '@payments/gateway'
import { escapeHtml, inline } from '@payments/gateway'
import type { Parameter } from '../described.ts'

/** Objects in objects are shown to this depth; what is deeper is in the example. */
const DEPTH = 4

/**
 * The fields of a schema as a list, nested ones folded. An empty text for a schema without fields. `request`: which fields are
 * required is said; a reply has all of them.
 */
export function fieldsOf(
  schema: Json,
  schemas: Record<string, Json>,
  { request = false, depth = 0 }: { readonly request?: boolean; readonly depth?: number } = {},
): string {
  const object = objectOf(schema, schemas)
  const properties = Object.entries((object?.properties ?? {}) as Record<string, Json>)
  if (properties.length === 0 || depth >= DEPTH) return ''
  const required = new Set((object?.required ?? []) as string[])
  return `<dl class="fields">${properties
    .map(([name, part]) => {
      const resolved = { ...resolve(part, schemas), ...part }
      const below = fieldsOf(part, schemas, { request, depth: depth + 1 })
      const nested = below && `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${below}</details>`
      return field({ name, schema: resolved, schemas, required: request && required.has(name), nested })
    })
    .join('')}</dl>`
}

/** Parameters of one place (path, query, headers) as a list. */
export const parametersOf = (parameters: readonly Parameter[], schemas: Record<string, Json>): string =>
  `<dl class="fields">${parameters
    .map(({ name, schema, description, example, required }) =>
      field({
        name,
        schema: { ...schema, description: description ?? schema.description, example: example ?? schema.example },
        schemas,
        required: required ?? false,
        nested: '',
      }),
    )
    .join('')}</dl>`

function field(given: {
  name: string
  schema: Json
  schemas: Record<string, Json>
  required: boolean
  nested: string
}): string {
  const { name, schema, schemas, required, nested } = given
  const branch = branchOf(schema)
  const description = String(schema.description ?? branch.description ?? '')
  const facts = [
    typeOf(schema, schemas),
    ...(required ? ['<strong>required</strong>'] : []),
    ...limitsOf({ ...branch, ...schema }),
  ]
  const example = schema.example ?? branch.example
  const shown = example !== undefined && typeof example !== 'object'
  return `<dt><code>${escapeHtml(name)}</code> <span class="facts">${facts.join(' · ')}</span></dt><dd>${inline(description)}${shown ? `<div class="example">Example: <code>${escapeHtml(String(example))}</code></div>` : ''}${nested}</dd>`
}

const resolve = (schema: Json, schemas: Record<string, Json>): Json =>
  typeof schema.$ref === 'string' ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

/** What a schema is when it is not null. */
const branchOf = (schema: Json): Json =>
  ((schema.anyOf ?? schema.oneOf) as Json[] | undefined)?.find(({ type }) => type !== 'null') ?? {}

/** The object that a schema is, may be, or is a list of. */
function objectOf(schema: Json, schemas: Record<string, Json>): Json | undefined {
  const resolved = resolve(schema, schemas)
  if (resolved.properties) return resolved
  if (resolved.items) return objectOf(resolved.items as Json, schemas)
  const branches = (resolved.anyOf ?? resolved.oneOf) as Json[] | undefined
  for (const branch of branches ?? []) {
    const found = objectOf(branch, schemas)
    if (found) return found
  }
  return undefined
}

function typeOf(schema: Json, schemas: Record<string, Json>): string {
  const resolved = resolve(schema, schemas)
  const branches = (resolved.anyOf ?? resolved.oneOf) as Json[] | undefined
  if (branches) return [...new Set(branches.map((each) => typeOf(each, schemas)))].join(' or ')
  const values = (resolved.enum ?? (resolved.const === undefined ? undefined : [resolved.const])) as
    | unknown[]
    | undefined
  if (values) return values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(', ')
  if (resolved.type === 'array') return `list of ${typeOf((resolved.items ?? {}) as Json, schemas)}`
  const format = resolved.format === 'date-time' ? 'time' : resolved.format
  return escapeHtml(String(format ?? resolved.type ?? 'any'))
}

function limitsOf(schema: Json): string[] {
  const { minLength, maxLength, minimum, maximum, maxItems, default: preset } = schema
  const length =
    maxLength === undefined
      ? []
      : [`${minLength === undefined ? 'at most' : `${minLength} to`} ${maxLength} characters`]
  const safe = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return [
    ...length,
    ...(safe(minimum) ? [`at least ${minimum}`] : []),
    ...(safe(maximum) ? [`at most ${maximum}`] : []),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(preset === undefined || typeof preset === 'object'
      ? []
      : [`default <code>${escapeHtml(String(preset))}</code>`]),
  ]
}
