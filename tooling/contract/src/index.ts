/** The interface as one document, and what would break clients of an earlier one. */
export { breaking } from './breaking.ts'
export { wholeInterface } from './whole-interface.ts'
