/** Infrastructure shared by all domains: settings, database, unit of work, operations, jobs, tasks, secrets, logging. No business rules. */

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
export * from './domain/api.ts'
export * from './domain/data.ts'
export * from './domain/domain.ts'
export * from './domain/money.ts'
export * from './domain/operators.ts'
export { platform } from './domain/platform.ts'
export * from './domain/work.ts'
export { csvRecord } from './lists/csv.ts'
export { type ExportSource, exportCsv, exportedAmount, exportedTime, exportInput } from './lists/export.ts'
export { type Listed, newest, newestAndTotal } from './lists/newest.ts'
export { pages, rowMapper } from './lists/pages.ts'
export * from './operations/authentication.ts'
export * from './operations/context.ts'
export * from './operations/http.ts'
export {
  findStoredReply,
  type IdempotencyKey,
  lease,
  nameOf,
  releaseLease,
  replaceInStoredReplies,
  replaceStoredReplies,
  replyOf,
  type StoredReplyRow,
  storedRepliesSql,
  storeReply,
} from './operations/idempotency.ts'
export { jsonSchemaOf } from './operations/json-schema.ts'
export * from './operations/operations.ts'
export { type Audited, operatorCommand, Reason } from './operations/operator-command.ts'
export { type Count, countHitsSql } from './operations/rate-limits.ts'
export { type Reply, replyTo, success } from './operations/reply.ts'
export { requireSecondOperator } from './operations/second-operator.ts'
export { addressBlock } from './providers/address-block.ts'
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
} from './providers/budgets.ts'
export {
  aboutObject,
  type CallOutcome,
  callOutcomes,
  type ProviderCalls,
  providerCalls,
  readProviderAnswers,
} from './providers/calls.ts'
export {
  bestAnswer,
  type Chosen,
  firstAnswer,
  type ProviderChoice,
  recordChoice,
} from './providers/choices.ts'
export { addProvider, nameSandbox, replaceIndex } from './providers/column.ts'
export { checkProviderOrders, providerRules, readControls, writeControl } from './providers/controls.ts'
export { ANNOUNCED_SQL, type ClaimedPoll, type PolledProvider, pollBudget } from './providers/rate-budget.ts'
export {
  type ObjectReport,
  type ReportedAmount,
  type ReportedAmounts,
  recordContradiction,
  recordReport,
  reportedAmountsSql,
  settleContradictions,
} from './providers/reports.ts'
export { faultModes, setSandboxFault, withFaults } from './providers/sandbox-faults.ts'
export { readAuditLog } from './records/audit-log.ts'
export { countingFunction, countProblems, countRows, countSql } from './records/counts.ts'
export { type LoggedRequest, type RequestLog, requestLog } from './records/request-log.ts'
export * from './records/timeline.ts'
export { checkFingerprints } from './settings/fingerprints.ts'
export { createLog, type Log } from './settings/log.ts'
export { reEncrypt } from './settings/re-encrypt.ts'
export * from './settings/secrets.ts'
export * from './settings/settings.ts'
export * from './transactions/entity.ts'
export { lifecycle, lifecycleName, type Variant } from './transactions/lifecycle.ts'
export * from './transactions/resource.ts'
export { readSnapshot, runningSnapshots } from './transactions/snapshot.ts'
export type { SqlExecutor } from './transactions/sql.ts'
export {
  actingFor,
  dryRun,
  emFor,
  LastStatementEmpty,
  observed,
  queryContext,
  runUnit,
  sqlOf,
  unitOfWork,
} from './transactions/unit.ts'
export { type ConcurrencyLimit, concurrencyLimit } from './work/concurrency.ts'
export { byEnvironment } from './work/gauges.ts'
export { inTurn } from './work/in-turn.ts'
export { DEAD_LETTER, type Job, job, jobsIn, startWorkers } from './work/jobs.ts'
export { claimPolls, type Polls, pollTask } from './work/polls.ts'
export { purgeJob, type Retention } from './work/purge.ts'
export {
  createTriggers,
  type RunningTasks,
  type Slots,
  sendTrigger,
  slotsTask,
  startTasks,
  type Task,
} from './work/tasks.ts'
export { dueInTurns, type Turns } from './work/turns.ts'
