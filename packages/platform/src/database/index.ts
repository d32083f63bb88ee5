/** Connections, their errors, migrations and transactions. */

export {
  databaseAvailability,
  databaseProblems,
} from './availability.ts'
export {
  connect,
  connectKeyed,
  type Database,
  hasTimeouts,
  isTransactionPooler,
  ping,
  prepared,
  SESSION_STATEMENTS,
} from './connect.ts'
export { asBusy, constraintOf, isDatabaseUnavailable, sqlState } from './errors.ts'
export { surviveLostConnections } from './lost-connections.ts'
export { migrate, pendingMigrations } from './migrate.ts'
export { databaseProblem } from './readiness.ts'
export { ownsTables } from './role.ts'
export { inTransaction, WITHOUT_FLUSH } from './transaction.ts'
