/** Operations and what they are called with: access, contexts, idempotency, limits. */

export * from './authentication.ts'
export * from './context.ts'
export * from './http.ts'
export {
  findStoredReply,
  type IdempotencyKey,
  leases,
  nameOf,
  releaseLease,
  replaceInStoredReplies,
  replaceStoredReplies,
  replyOf,
  type StoredReplyRow,
  storedRepliesSql,
  storeReply,
} from './idempotency.ts'
export { exampleOf, jsonSchemaOf, sampleOf } from './json-schema.ts'
export * from './operations.ts'
export { type Audited, operatorCommand, Reason } from './operator-command.ts'
export { addressBlock, type Count, countHitsSql, hitsOf } from './rate-limits.ts'
export { onceOf, type Reply, replyTo, success } from './reply.ts'
export { requireSecondOperator } from './second-operator.ts'
