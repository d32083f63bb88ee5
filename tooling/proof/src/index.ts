/** A proof's report, and where its figures are kept. */
export { type ProofReport, record, recorded } from './proof.ts'
