/** Infrastructure shared by all domains: settings, database, unit of work, operations, jobs, tasks, secrets, logging. No business rules. */
export { addressBlock } from './address-block.ts'
export { readAuditLog } from './audit-log.ts'
export * from './authentication.ts'
export { inTurn } from './bulk.ts'
export { type ConcurrencyLimit, concurrencyLimit } from './concurrency.ts'
export * from './context.ts'
export { countingFunction, countProblems, countRows, countSql } from './counts.ts'
export { csvRecord } from './csv.ts'
export {
  type DatabaseAvailability,
  type DatabaseProblem,
  databaseAvailability,
  databaseProblems,
} from './database/availability.ts'
export {
  connect,
  connectPriority,
  type Database,
  hasTimeouts,
  isTransactionPooler,
  ping,
  SESSION_STATEMENTS,
} from './database/connect.ts'
export { asBusy, constraintOf, isDatabaseUnavailable, sqlState } from './database/errors.ts'
export { surviveLostConnections } from './database/lost-connections.ts'
export { migrate, pendingMigrations } from './database/migrate.ts'
export { databaseProblem } from './database/readiness.ts'
export { ownsTables } from './database/role.ts'
export { inTransaction, WITHOUT_FLUSH } from './database/transaction.ts'
export * from './domain.ts'
export * from './entity.ts'
export { type ExportSource, exportCsv, exportedAmount, exportedTime, exportInput } from './export.ts'
export { checkFingerprints } from './fingerprints.ts'
export { byEnvironment } from './gauges.ts'
export * from './http.ts'
export {
  findStoredReply,
  type IdempotencyKey,
  lease,
  nameOf,
  releaseLease,
  replaceInStoredReplies,
  replaceStoredReplies,
  replyOf,
  type StoredReply,
  type StoredReplyRow,
  storedRepliesSql,
  storeReply,
} from './idempotency.ts'
export { DEAD_LETTER, type Job, type JobOptions, job, jobsIn, startWorkers } from './jobs.ts'
export { jsonSchemaOf } from './json-schema.ts'
export { lifecycle, lifecycleName, type Variant } from './lifecycle.ts'
export { createLog, type Log } from './log.ts'
export { type Listed, newest, newestAndTotal } from './newest.ts'
export * from './operations.ts'
export { type Audited, operatorCommand, Reason } from './operator-command.ts'
export * from './operators.ts'
export { pages, rowMapper } from './pages.ts'
export { platform } from './platform.ts'
export { claimPolls, type Polls, pollTask } from './polls.ts'
export {
  type Budget,
  type BudgetedCall,
  heedingPause,
  isPaused,
  limitedFor,
  ProviderLimited,
  pauseCalls,
  readBudgets,
  secondsUntilFree,
  takeCall,
} from './provider-budgets.ts'
export {
  aboutObject,
  type CallOutcome,
  callOutcomes,
  type ProviderCalls,
  providerCalls,
  readProviderAnswers,
} from './provider-calls.ts'
export {
  bestAnswer,
  type Chosen,
  firstAnswer,
  type ProviderChoice,
  recordChoice,
} from './provider-choices.ts'
export { addProvider, nameSandbox, replaceIndex } from './provider-column.ts'
export { checkProviderOrders, providerRules, readControls, writeControl } from './provider-controls.ts'
export {
  type ObjectReport,
  type ReportedAmount,
  type ReportedAmounts,
  recordContradiction,
  recordReport,
  reportedAmountsSql,
  settleContradictions,
} from './provider-reports.ts'
export { rateBudgetEntity } from './provider-tables.ts'
export { purgeJob, type Retention } from './purge.ts'
export { ANNOUNCED_SQL, type ClaimedPoll, type PolledProvider, pollBudget } from './rate-budget.ts'
export { type Count, countHitsSql } from './rate-limits.ts'
export { reEncrypt } from './re-encrypt.ts'
export { type LoggedRequest, type RequestLog, requestLog } from './request-log.ts'
export * from './resource.ts'
export { faultModes, setSandboxFault, withFaults } from './sandbox-faults.ts'
export { requireSecondOperator } from './second-operator.ts'
export * from './secrets.ts'
export * from './settings.ts'
export { readSnapshot, runningSnapshots } from './snapshot.ts'
export {
  createTriggers,
  type RunningTasks,
  type Slots,
  sendTrigger,
  slotsTask,
  startTasks,
  type Task,
} from './tasks.ts'
export * from './timeline.ts'
export { dueInTurns, type Turns } from './turns.ts'
export {
  actingFor,
  dryRun,
  emFor,
  LastStatementEmpty,
  observed,
  queryContext,
  runUnit,
  type SqlExecutor,
  sqlOf,
  unitOfWork,
} from './unit.ts'
