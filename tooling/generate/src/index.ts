/** Writes a domain into a tree, as `npm run new` does. */
export { generate } from './domains/generate.ts'
