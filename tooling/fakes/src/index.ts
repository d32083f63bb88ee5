/** What the fake servers of providers share. None of it is of an adapter, or of the client that adapters use. */
export { closing } from './closing.ts'
export { leaveOut } from './odd.ts'
export { type Random, random } from './random.ts'
