/** What is recorded of requests, operators and objects, and counts of rows. */

export { newestAuditIds, readAuditLog } from './audit-log.ts'
export { countingFunction, countOf, countProblems, countRows, totalSql } from './counts.ts'
export * from './lists/index.ts'
export { holdingsOf, showTouched } from './operators/holdings.ts'
export { type Audited, operatorCommand, Reason } from './operators/operator-command.ts'
export { requireSecondOperator } from './operators/second-operator.ts'
export { refuseOwnAddresses } from './own-addresses.ts'
export * from './request-log/index.ts'
export { declareRestore, isForgotten, noteReconciled, noteSecured, type OpenRestore, openRestore } from './restores.ts'
