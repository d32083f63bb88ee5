import { type Payments, PaymentsError } from '@payments/sdk'

/** An operation of the API, as the generated table has it. */
export interface Operation {
  /** Of the SDK: `cngn.payouts`. */
  readonly resource: string
  readonly name: string
  readonly method: string
  /** Below `/v1`, with `{id}` where an id is. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly ids: readonly { readonly name: string; readonly description: string }[]
  readonly fields: readonly Field[]
  /** `data`, `file`, or the name of the records of a list. */
  readonly reply: string
}

/** A parameter of an operation. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly choices?: readonly string[]
}

/** The command of an operation: `cngn payouts list`. */
export const commandOf = ({ resource, name }: Pick<Operation, 'resource' | 'name'>): string[] =>
  [...resource.split('.'), name].map(kebab)

/** `origin-chain-key` of `originChainKey`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

type Method = (...args: readonly unknown[]) => Promise<unknown>

/** Calls the method of the SDK that an operation is. @throws PaymentsError */
export function callOperation(
  payments: Payments,
  { resource, name, fields }: Operation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  options: { readonly idempotencyKey?: string; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const owner = resource.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], payments)
  const method = (owner as Record<string, Method | undefined>)[name]
  if (!method) throw new PaymentsError('http_0', `This version has no ${resource}.${name}`)
  return method.call(owner, ...ids, ...(fields.length > 0 ? [params] : []), options)
}

/** A value that was typed, as the type of its field; the service says what is wrong with one that is not of that type. */
export function typedValue(field: Pick<Field, 'type'>, text: string): unknown {
  if (field.type === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
