/** Packs the SDK, as `npm run pack` does. */
export { packSdk } from './clients/pack.ts'
/** Writes a domain into a tree, as `npm run new` does. */
export { generate } from './domains/generate.ts'
