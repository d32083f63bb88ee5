/** A proof's report, and where its figures are kept. */
export type { ProofReport } from './proof.ts'
export { record } from './record.ts'
