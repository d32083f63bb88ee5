/** What is recorded of requests, operators and objects, and counts of rows. */

export { newestAuditIds, readAuditLog } from './audit-log.ts'
export { countingFunction, countOf, countProblems, countRows, totalSql } from './counts.ts'
export { histograms } from './histograms.ts'
export { refuseOwnAddresses } from './own-addresses.ts'
export * from './request-log/index.ts'
export { declareRestore, isForgotten, noteReconciled, noteSecured, type OpenRestore, openRestore } from './restores.ts'
export * from './timeline.ts'
