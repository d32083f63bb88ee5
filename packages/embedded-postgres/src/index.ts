/** PostgreSQL from npm packages, for machines without a database server. Nothing in production imports it. */
export { type EmbeddedServer, EmbeddedServerError, ensureDatabase, startEmbedded } from './server.ts'
