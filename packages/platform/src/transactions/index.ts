/** Units of work, resources with a status, and entities. */

export { contextOf, readsManyRows } from './reads.ts'
export { readSnapshot, runningSnapshots } from './snapshot.ts'
export {
  actingFor,
  dryRun,
  LastStatementEmpty,
  lookupsOf,
  observed,
  queryContext,
  runUnit,
  unitOfWork,
} from './unit.ts'
