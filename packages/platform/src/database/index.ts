/** Connections, their errors, migrations and transactions. */

export {
  databaseAvailability,
  databaseProblems,
} from './availability.ts'
export { prepared } from './connections/client.ts'
export {
  connect,
  connectKeyed,
  type Database,
  hasTimeouts,
  isTransactionPooler,
  LONG_DEADLINES,
  ping,
  SESSION_STATEMENTS,
  WITHOUT_DEADLINE,
} from './connections/connect.ts'
export { connectLookups } from './connections/lookups.ts'
export { surviveLostConnections } from './connections/lost-connections.ts'
export { asBusy, constraintOf, isDatabaseUnavailable, sqlState } from './errors.ts'
export { ownsTables } from './role.ts'
export { grouped, groupedBy } from './shared/grouped.ts'
export { arrayOf, lockName, type SqlExecutor, type Statement, sqlOf } from './sql.ts'
export { checkStandby } from './standby/check.ts'
export { type WalPosition, walPositionSql } from './standby/position.ts'
export { CannotServe, standbyProblems } from './standby/replayed.ts'
export { connectStandby } from './standby/standby.ts'
export { BY_KEYS, IN_INDEX_ORDER, inTransaction, SKIPPING_DEAD_ENTRIES, WITHOUT_FLUSH } from './transaction.ts'
export { type NewRow, newRow } from './written.ts'
