/** Operations and what they are called with: access, contexts, idempotency, limits. */

export * from './authentication.ts'
export * from './context/context.ts'
export { histograms } from './context/histograms.ts'
export { type ProviderState, type Providers, providerStates, providers } from './context/lookup.ts'
export * from './context/operators.ts'
export * from './context/restore.ts'
export * from './context/timeline.ts'
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
export { addressBlock, type Count, countHitsSql, hitsOf } from './rate-limits.ts'
export { databaseProblem } from './readiness.ts'
export { onceOf, type Reply, replyTo, success } from './reply.ts'
