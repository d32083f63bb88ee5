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

/** The reply to an input that fits the schema, from what its operation returned. */
export const replyTo = (
  { status, message, messageOf }: Pick<OperationMeta, 'status' | 'message' | 'messageOf'>,
  input: unknown,
  data: unknown,
): Reply => ({
  status,
  body: success(messageOf?.(input as Record<string, unknown>) ?? message, data),
  resourceId: idOf(data),
})

function idOf(data: unknown): string | undefined {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined
  return typeof id === 'string' && isId(id) ? id : undefined
}
