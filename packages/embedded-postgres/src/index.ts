/** A PostgreSQL server that the service starts, supervises and stops, from the binaries of an npm package. */
// Order, lowest first: error, cluster, binaries, directory, server.
export { EmbeddedServerError } from './error.ts'
export { ensureDatabase } from './server/role.ts'
export { type EmbeddedServer, type EmbeddedServerOptions, startEmbedded, useEmbedded } from './server/server.ts'
