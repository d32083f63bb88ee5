import type { NamedProcedure } from '../client.ts'
import { type Field, fieldOf, kebab, type Schema } from './fields.ts'

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly 'x-procedure'?: NamedProcedure & {
    readonly money?: boolean
    readonly dryRun?: boolean
    readonly errors?: readonly string[]
  }
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly required?: boolean
    readonly schema?: Schema
    readonly description?: string
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** The operators' OpenAPI document, as far as it is used here. */
export interface OperatorsDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** A command that calls one procedure of operators. */
export interface OperatorCommand {
  /** `['organisations', 'enable-live']` for `admin.organisations.enableLive`. */
  readonly path: readonly string[]
  readonly procedure: NamedProcedure
  readonly money: boolean
  /** The service can tell what it would do. */
  readonly dryRun: boolean
  readonly summary: string
  readonly description: string
  /** The fields of the path, in its order, and all others. */
  readonly arguments: readonly Field[]
  readonly options: readonly Field[]
  /** Messages of the errors that this procedure may answer with, beside those of every procedure. */
  readonly errors: readonly string[]
}

/** A command for each procedure of operators, from the document that the service itself derives from its router. */
export function commandsOf({ paths, components }: OperatorsDocument): readonly OperatorCommand[] {
  const resolve = (schema: Schema): Schema => {
    const named = schema.$ref && components.schemas?.[schema.$ref.split('/').at(-1) ?? '']
    return named ? { ...resolve(named), ...(schema.description ? { description: schema.description } : {}) } : schema
  }
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => commandOf(operation, resolve) ?? [])
}

function commandOf(operation: Operation, resolve: (schema: Schema) => Schema): OperatorCommand | undefined {
  const { 'x-procedure': procedure, parameters = [], requestBody, summary = '', description = '' } = operation
  if (!procedure) return undefined
  const fieldsIn = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema = {}, required = false, description: text }) =>
        fieldOf(name, text ? { ...schema, description: text } : schema, required, resolve),
      )
  const body = resolve(requestBody?.content['application/json']?.schema ?? {})
  const inBody = Object.entries(body.properties ?? {}).map(([name, schema]) =>
    // A reason is kept for later questions, so it is never left out here.
    fieldOf(name, schema, name === 'reason' || (body.required ?? []).includes(name), resolve),
  )
  const { name, type, money = false, dryRun = false, errors = [] } = procedure
  return {
    path: name
      .replace(/^admin\./, '')
      .split('.')
      .map(kebab),
    procedure: { name, type },
    money,
    dryRun,
    summary,
    description,
    arguments: fieldsIn('path'),
    options: [...fieldsIn('query'), ...inBody],
    errors,
  }
}
