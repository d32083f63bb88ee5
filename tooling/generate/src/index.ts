/** Packs the SDK and the command line, as `npm run pack` does. */
export { packCli, packSdk } from './clients/pack.ts'
/** Writes a domain into a tree, as `npm run new` does. */
export { generate } from './domains/generate.ts'
