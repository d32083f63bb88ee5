/** A JSON Schema, as the operators' OpenAPI document has it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly example?: unknown
}

/** A field of a procedure's input, as an argument or option of a command. */
export interface Field {
  readonly name: string
  /** In kebab case: `organisation-id`. */
  readonly flag: string
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'json'
  readonly required: boolean
  /** A number that `null` resets. */
  readonly nullable: boolean
  readonly description: string
  readonly choices: readonly string[]
  readonly example: unknown
}

/** Options that every command has; a field of one of these names gets a prefix. */
const OWN_FLAGS = new Set(['dry-run', 'help', 'json', 'url', 'yes'])

export const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()

/** The field `name` of an input, from its schema. */
export function fieldOf(name: string, schema: Schema, required: boolean, resolve: (schema: Schema) => Schema): Field {
  const full = resolve(schema)
  // A field that may be null has the null beside its schema.
  const options = (full.anyOf ?? [full]).map(resolve).filter(({ type }) => type !== 'null')
  const [own = full] = options
  const flag = kebab(name)
  return {
    name,
    flag: OWN_FLAGS.has(flag) ? `field-${flag}` : flag,
    kind: options.length > 1 ? 'text' : kindOf(own, resolve),
    required,
    nullable: options.length < (full.anyOf ?? [full]).length || [full.type].flat().includes('null'),
    description: schema.description ?? full.description ?? own.description ?? '',
    choices: ((own.enum ?? resolve(own.items ?? {}).enum ?? []) as readonly unknown[]).map(String),
    example: schema.example ?? full.example ?? own.example,
  }
}

function kindOf({ type, items }: Schema, resolve: (schema: Schema) => Schema): Field['kind'] {
  const [first] = [type ?? 'string'].flat().filter((each) => each !== 'null')
  if (first === 'integer' || first === 'number') return 'number'
  if (first === 'boolean') return 'boolean'
  if (first === 'array') return ['object', 'array'].includes(String(resolve(items ?? {}).type)) ? 'json' : 'list'
  return first === 'object' ? 'json' : 'text'
}

/**
 * What the operator typed, as the procedure takes it. What is not a number or not JSON stays text: the service says what is
 * wrong with it, in the same words for every client.
 */
export function inputOf({ kind, nullable }: Field, typed: unknown): unknown {
  if (typeof typed !== 'string') return typed
  if (kind === 'number' && nullable && typed.trim() === 'null') return null
  if (kind === 'number') return typed.trim() !== '' && Number.isFinite(Number(typed)) ? Number(typed) : typed
  if (kind !== 'json') return typed
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}
