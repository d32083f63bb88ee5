/** Long runs against the whole service, and the environment that they share with the benchmarks. */
export { type Fleet, type Role, startFleet } from './fleet.ts'
export { embeddedStage, type Merchant, openStage, type Stage } from './stage.ts'
export { bootstrap, percentile } from './statistics.ts'
