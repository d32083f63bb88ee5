/** The whole service on an embedded database of its own, for long runs against its HTTP surface. */
export { type Random, random } from './fuzz/random.ts'
export { type ServiceStand, startStand } from './stand.ts'
