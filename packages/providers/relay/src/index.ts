/** Relay (relay.link): deposit addresses on one chain whose deposits arrive on another. */
export type { RelayOptions } from './client.ts'
export { relay } from './relay.ts'
