/** The whole service on an embedded database of its own, for long runs against its HTTP surface; and where their figures are kept. */
export { type Random, random } from '@payments/fixtures'
export { percentile } from './neighbours/neighbours.ts'
export type { ProofReport } from './proof.ts'
export { record } from './record.ts'
export { type ServiceStand, startStand } from './stand/in-process.ts'
