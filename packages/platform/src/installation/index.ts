/** What an installation is made of: the tables and entries of the platform itself, migrations, fingerprints of secrets. */
export { answersOf } from './cells.ts'
export { checkFingerprints, foreignSecrets, shownFingerprints } from './fingerprints.ts'
export { migrate, pendingMigrations } from './migrate.ts'
export { movedIds } from './moves/ids.ts'
export {
  cancelMove,
  MoveRefused,
  type MovingBetween,
  moveOrganisation,
  obstaclesOf,
  previewMove,
} from './moves/move.ts'
export { movedTables } from './moves/tables.ts'
export { platform } from './platform.ts'
export { reEncrypt } from './re-encrypt.ts'
