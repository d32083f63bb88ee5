/** The service in a few files, which it starts from. */
export { build, bundleFiles } from './build.ts'
export { bundled } from './bundle.ts'
