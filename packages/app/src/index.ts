/** The composition: what the service consists of. */
export { domains } from './domains.ts'
export { type AppRouter, appRouter } from './router.ts'
export { catalogue, openProcess, type Process, recorders, schema } from './runtime.ts'
