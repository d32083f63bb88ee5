/** The service and its commands in a few files, which they start from. */
export { build, bundleFiles } from './build.ts'
export { bundled, start } from './bundle.ts'
