/** The statements of the specification: those that are built and tested, and those that are missing. */
export { missing, type Statement, statements } from './conformance/statements.ts'
