/** Units of work, resources with a status, and entities. */

export * from './entity.ts'
export { grouped, groupedBy } from './grouped.ts'
export { lifecycle, lifecycleName } from './lifecycle.ts'
export { contextOf, readsManyRows } from './reads.ts'
export * from './resource.ts'
export { runningSnapshots } from './snapshot.ts'
export { arrayOf, type SqlExecutor } from './sql.ts'
export {
  actingFor,
  dryRun,
  LastStatementEmpty,
  lookupsOf,
  observed,
  queryContext,
  runUnit,
  sqlOf,
  unitOfWork,
} from './unit.ts'
