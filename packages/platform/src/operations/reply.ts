import { isId } from '@payments/kernel'
import type { OperationMeta } from './operations.ts'

/** A reply of an operation that answers with JSON, as it is sent and stored for replay. */
export interface Reply {
  readonly status: number
  readonly body: string
  /** The object that a command answers with. */
  readonly resourceId: string | undefined
}

/** The JSON text of a success envelope. Stored replies are such texts, so what stores them writes it too. */
export const success = (message: string, data: unknown): string => JSON.stringify({ status: 'success', message, data })

/** Of {@link OperationMeta.unchanging} data. */
const texts = new WeakMap<object, string>()

/** The reply to an input that fits the schema, from what its operation returned. */
export const replyTo = (
  { status, message, messageOf, unchanging }: Pick<OperationMeta, 'status' | 'message' | 'messageOf' | 'unchanging'>,
  input: unknown,
  data: unknown,
): Reply => {
  const text = () => success(messageOf?.(input as Record<string, unknown>) ?? message, data)
  return { status, body: unchanging ? onceOf(texts, data as object, text) : text(), resourceId: idOf(data) }
}

/** What is computed of an object that never changes, once while the object is used. */
export function onceOf<V>(known: WeakMap<object, V>, of: object, compute: () => V): V {
  const value = known.get(of) ?? compute()
  known.set(of, value)
  return value
}

function idOf(data: unknown): string | undefined {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined
  return typeof id === 'string' && isId(id) ? id : undefined
}
