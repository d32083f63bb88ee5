/** The workspace as a list of packages, and copies of it for tests that change files. */
export { copyTree, linkDependencies } from './copy.ts'
export { testNames } from './test-names.ts'
export { installTools } from './tools.ts'
export { type Package, packagesOf, root, sourcesOf } from './workspace.ts'
