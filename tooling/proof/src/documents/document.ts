import { openApiDocument } from '@payments/gateway'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** The parts of a schema that are used here. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly example?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}
export type Components = Readonly<Record<string, Schema>>
interface Response {
  /** Of a response that operations share. */
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly example?: unknown
  readonly schema: Schema
}
/** The parts of the OpenAPI document that are used here. */
export interface ApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      Record<
        string,
        {
          readonly parameters?: readonly Parameter[]
          readonly requestBody?: Response
          readonly responses: Record<string, Response>
        }
      >
    >
  >
  readonly components: { readonly schemas: Components; readonly responses: Readonly<Record<string, Response>> }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map<string, ValidateFunction>()
/** Both documents in one: operations of merchants and of operators, with the schemas and responses that they share. */
export function wholeDocument(): ApiDocument {
  const [merchants, operators] = (['merchants', 'operators'] as const).map(
    (audience) => JSON.parse(JSON.stringify(openApiDocument(audience))) as ApiDocument,
  ) as [ApiDocument, ApiDocument]
  return {
    paths: { ...merchants.paths, ...operators.paths },
    components: {
      schemas: { ...operators.components.schemas, ...merchants.components.schemas },
      responses: { ...operators.components.responses, ...merchants.components.responses },
    },
  }
}

/** What is wrong with a reply of an operation, given by the path and method of the document, or undefined. */
export function declaredProblem(
  document: ApiDocument,
  { path, method }: { readonly path: string; readonly method: string },
  { status, type, text }: { readonly status: number; readonly type: string; readonly text: string },
): string | undefined {
  const own = document.paths[path]?.[method.toLowerCase()]?.responses[status]
  if (!own) return `status ${status} is not in the document`
  const reply = own.$ref ? document.components.responses[own.$ref.split('/').at(-1) ?? ''] : own
  const media = type.split(';')[0] ?? ''
  const schema = reply?.content?.[media]?.schema
  if (!schema) return `media type ${type} is not in the document`
  return media === 'application/json' ? jsonProblem(document, `${method} ${path} ${status}`, schema, text) : undefined
}

/** What is wrong with a JSON text by a schema of the document; `name` names the schema. */
export function jsonProblem(document: ApiDocument, name: string, schema: object, text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  if (!ajv.getSchema('api')) ajv.addSchema({ $id: 'api', components: document.components })
  const validate =
    validators.get(name) ??
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')))
  validators.set(name, validate)
  return validate(value) ? undefined : `invalid: ${ajv.errorsText(validate.errors)}`
}
