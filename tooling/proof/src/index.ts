/** A proof's report, and where its figures are kept. */
export { type ProofReport, record } from './proof.ts'
