/** The workspace as a list of packages, and copies of it for tests that change files. */
export { production, readTree, type Source, type Tree, withFiles } from './architecture/tree.ts'
export { testNames } from './test-names.ts'
export { copyTree, linkDependencies, reuseTypes } from './workspace/copy.ts'
export {
  CELLS_PROXY,
  commitsSince,
  coveredWith,
  filesFrom,
  git,
  lastRelease,
  migrationsAt,
  releaseSubject,
} from './workspace/history.ts'
export { installTools } from './workspace/tools.ts'
export { type Package, packagesOf, root, sourcesOf } from './workspace/workspace.ts'
